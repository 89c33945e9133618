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

/** The time in which requests count against the limits. */
export const limitWindowMs = 3_600_000;
const maxPerEmail = 3;
const maxPerAddress = 10;

export interface ResetTarget {
  readonly population: Population;
  readonly email: string;
  /** The room that the page links back to. */
  readonly origin?: SignInOrigin | null;
}

/**
 * Stores a request that the worker answers, so that neither the answer nor its timing reveals whether the email is known.
 * @returns a message for the person
 * @throws 429 above the hourly limit of the email or the IP address
 */
export async function requestReset(
  dependencies: Dependencies,
  actor: Actor,
  { population, email, origin = null }: ResetTarget,
): Promise<string> {
  if (!dependencies.mailer)
    return 'This platform sends no mail. Ask an administrator for a link to choose a new password.';
  const nowMs = dependencies.clock.nowMs();
  const blockedSince = await inTransaction(dependencies, actor, async ({ tx, now, invalidate }) => {
    invalidate('mails');
    const request = {
      id: newUuid(),
      population,
      email,
      request_id: actor.requestId,
      address: actor.address,
      address_group: addressGroup(actor.address),
      room_id: origin?.roomId ?? null,
      room_token_id: origin?.roomTokenId ?? null,
      created_at: now,
    };
    const since = new Date(nowMs - limitWindowMs).toISOString();
    return await insertRequest(tx, request, { since, maxPerEmail, maxPerAddress });
  });
  if (blockedSince !== null) {
    throw new Failure('too-many-requests', 'You have requested too many links. Check your mail or try again later.', {
      retryAfter: Math.max(1, Math.ceil((epochMs(blockedSince) + limitWindowMs - nowMs) / 1000)),
    });
  }
  return 'If a user has this email, a link to choose a new password is on its way.';
}
