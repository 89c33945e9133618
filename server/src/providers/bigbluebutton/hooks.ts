import { ProviderFailure } from '../provider-failure.ts';
import { identifier } from './answer.ts';
import { askOnce, type ProviderParts } from './ask.ts';
import { eventNames } from './callbacks.ts';
import { signedUrl } from './signed-request.ts';

/**
 * Asks to be told at once who comes and goes in any meeting; asked again it stays as it is. Hooks are a program of their
 * own beside the server: that they are missing says nothing of the server, and so the circuit is passed by.
 * @returns the id of the hook; null where there are no hooks.
 */
export async function listen(parts: ProviderParts, callbackUrl: string): Promise<string | null> {
  try {
    const answer = await askOnce(parts, {
      url: signedUrl(parts.signer, 'hooks/create', { callbackURL: callbackUrl, eventID: eventNames.join(',') }),
      form: null,
    });
    return identifier(answer, 'hookID');
  } catch (error) {
    if (error instanceof ProviderFailure && absent.has(error.kind)) return null;
    throw error;
  }
}

/** What a server without them answers, or the proxy before it. */
const absent = new Set<ProviderFailure['kind']>([
  'malformed',
  'rejected',
  'refused',
  'redirected',
  'oversize',
  'unreachable',
]);

/** A hook that is gone is no failure. */
export async function stopListening(parts: ProviderParts, hookId: string): Promise<void> {
  try {
    await askOnce(parts, { url: signedUrl(parts.signer, 'hooks/destroy', { hookID: hookId }), form: null });
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
  }
}
