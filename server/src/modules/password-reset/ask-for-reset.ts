import type { Population } from '@foyer/contract/conventions/endpoint.ts';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { addressGroup } from '../../platform/identity/address-group.ts';
import { Failure } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import { newUuid } from '../../platform/identity/identifier.ts';
import { epochMs } from '../../platform/time/instant.ts';
import type { SignInOrigin } from '../rooms/index.ts';
import { insertRequest } from './store.ts';

export const countedMs = 3_600_000;
const mostPerEmail = 3;
const mostPerAddress = 10;

/**
 * Writes down that somebody forgot a password; the worker finds out who it is. So the answer says nothing about who is
 * known here, and takes the same time for everybody.
 * @param door where the way leads back to once there is a new password.
 * @returns a sentence for whoever asked.
 * @throws 429 after a few times in an hour with the same email or from the same address.
 */
export async function askForReset(
  dependencies: Dependencies,
  actor: Actor,
  population: Population,
  email: string,
  door: SignInOrigin | null = null,
): Promise<string> {
  if (!dependencies.mailer)
    return 'No mail is sent from here. Ask an administrator for a link to choose a new password.';
  const nowMs = dependencies.clock.nowMs();
  const latest = await inTransaction(dependencies, actor, async ({ tx, now, invalidate }) => {
    invalidate('mails');
    const request = {
      id: newUuid(),
      population,
      email,
      request_id: actor.requestId,
      address: actor.address,
      address_group: addressGroup(actor.address),
      room_id: door?.roomId ?? null,
      room_token_id: door?.roomTokenId ?? null,
      created_at: now,
    };
    const since = new Date(nowMs - countedMs).toISOString();
    return await insertRequest(tx, request, { since, ofEmail: mostPerEmail, ofAddress: mostPerAddress });
  });
  if (latest !== null) {
    throw new Failure(
      'too-many-requests',
      'This was asked too often. Please look into your mail, or try again later.',
      {
        retryAfter: Math.max(1, Math.ceil((epochMs(latest) + countedMs - nowMs) / 1000)),
      },
    );
  }
  return 'If a user has this email, a link to choose a new password is on its way.';
}
