import { ProviderFailure } from '../provider-failure.ts';
import { identifier } from './request/answer.ts';
import { sendOnce, type BigBlueButtonConnection } from './request/call-api.ts';
import { eventNames } from './callbacks.ts';
import { signedUrl } from './request/signed-request.ts';

/**
 * Registers a hook for joins and leaves in all meetings; idempotent. Hooks are a separate program, so their failures
 * are no failures of the server, and bypass the circuit breaker.
 * @returns the id of the hook; null if the server has no hooks
 */
export async function listen(connection: BigBlueButtonConnection, callbackUrl: string): Promise<string | null> {
  try {
    const answer = await sendOnce(connection, {
      url: signedUrl(connection.signer, 'hooks/create', { callbackURL: callbackUrl, eventID: eventNames.join(',') }),
      form: null,
    });
    return identifier(answer, 'hookID');
  } catch (error) {
    if (error instanceof ProviderFailure && kindsWithoutHooks.has(error.kind)) return null;
    throw error;
  }
}

/** How the calls fail on a server without hooks, or on its proxy. */
const kindsWithoutHooks = new Set<ProviderFailure['kind']>([
  'malformed',
  'http-error',
  'refused',
  'redirected',
  'oversize',
  'unreachable',
]);

/** A missing hook is not a failure. */
export async function stopListening(connection: BigBlueButtonConnection, hookId: string): Promise<void> {
  try {
    await sendOnce(connection, { url: signedUrl(connection.signer, 'hooks/destroy', { hookID: hookId }), form: null });
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
  }
}
