import type { ProviderCheck } from '../meet.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { type Element, readAnswer, text } from './request/answer.ts';
import { sendOnce, type BigBlueButtonConnection } from './request/call-api.ts';
import { signedUrl } from './request/signed-request.ts';

/**
 * First requests the root, which needs no secret, then a call that needs it. Bypasses the circuit breaker, since an
 * administrator asked for the check, and closes it on success.
 */
export async function checkProvider(connection: BigBlueButtonConnection): Promise<ProviderCheck> {
  const startedMs = performance.now();
  const failedCheck = {
    reachable: false,
    apiVersion: null,
    secretAccepted: null,
    latencyMs: null,
    dateMs: null,
    problem: null,
  };
  try {
    const answer = await connection.transport.send(connection.providerId, {
      url: connection.signer.apiUrl,
      form: null,
    });
    const root = await readAnswer({ providerId: connection.providerId, secret: connection.signer.secret }, answer);
    const answeredMs = performance.now();
    const secret = await checkSecret(connection);
    return {
      reachable: true,
      apiVersion: versionIn(root),
      latencyMs: Math.round(answeredMs - startedMs),
      dateMs: answer.dateMs === null ? null : answer.dateMs + performance.now() - answeredMs,
      ...secret,
    };
  } catch (error) {
    return { ...failedCheck, reachable: isFailure(error, 'refused'), problem: messageOf(error) };
  }
}

/** @throws ProviderFailure */
export async function readVersion(connection: BigBlueButtonConnection): Promise<string | null> {
  return versionIn(await sendOnce(connection, { url: connection.signer.apiUrl, form: null }));
}

function versionIn(root: Element): string | null {
  return (text(root, 'apiVersion') || text(root, 'version') || '').slice(0, 50) || null;
}

async function checkSecret(
  connection: BigBlueButtonConnection,
): Promise<Pick<ProviderCheck, 'secretAccepted' | 'problem'>> {
  const probe = signedUrl(connection.signer, 'isMeetingRunning', { meetingID: 'foyer-check' });
  try {
    await sendOnce(connection, { url: probe, form: null });
    connection.breaker.close();
    return { secretAccepted: true, problem: null };
  } catch (error) {
    return { secretAccepted: isFailure(error, 'checksum') ? false : null, problem: messageOf(error) };
  }
}

function isFailure(error: unknown, kind: ProviderFailure['kind']): boolean {
  return error instanceof ProviderFailure && error.kind === kind;
}

function messageOf(error: unknown): string {
  if (error instanceof ProviderFailure) return error.message;
  throw error;
}
