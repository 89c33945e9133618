import { type Endpoint, canRunInOneTransaction } from '@foyer/contract/conventions/endpoint.ts';
import { Failure, invalidInput, conflict } from '../../failures.ts';
import { newUuid, type Uuid } from '../../identity/identifier.ts';
import type { Answer } from '../answer/answer.ts';
import type { Call } from './call.ts';
import { printFailure } from '../failures/respond-to-failure.ts';

/** A request with an idempotency key. The key belongs to the caller: two callers may use the same key. */
export interface KeyedRequest {
  /** Identifies the claim, so that a request whose claim has expired does not change that of a later request. */
  readonly claimId: Uuid;
  readonly caller: string;
  readonly key: string;
  /** Path, body, and rights of the token. May contain secrets. */
  readonly content: string;
}

export interface StoredAnswer {
  readonly status: number;
  readonly body: string | null;
  readonly etag: string | null;
  /** Set when the body was too long to store; names the resource that it contained, if any. */
  readonly omitted: { readonly resourceId: Uuid | null } | null;
}

/** Stores idempotency keys and their answers for a day. */
export interface IdempotencyKeys {
  /**
   * Claims the key until the transaction ends, or until `release` if there is none.
   * @returns the answer that was stored for it; null when there is none yet; `busy` while another request holds the
   * key; `different-request` when the key was used for another request
   */
  claim(
    keyedRequest: KeyedRequest,
    claimKind: 'by-transaction' | 'by-row',
  ): Promise<StoredAnswer | 'busy' | 'different-request' | null>;
  /** Stores the answer, unless the claim has expired and another request has claimed the key since. */
  storeAnswer(keyedRequest: KeyedRequest, answer: StoredAnswer): Promise<void>;
  release(keyedRequest: KeyedRequest): Promise<void>;
}

/** In bytes. A longer answer is created again when the request is repeated. */
const maxStoredBytes = 65_536;

export interface KeyedAction {
  readonly act: () => Promise<Answer>;
  /** Prints the current state of the resource of the answer; null if it cannot be read. */
  readonly printAgain: ((resourceId: Uuid) => Promise<Answer>) | null;
}

interface KeyedServices {
  readonly idempotencyKeys: IdempotencyKeys;
  /** Runs all statements of `act` in one transaction. */
  readonly inOneTransaction: <Outcome>(act: () => Promise<Outcome>) => Promise<Outcome>;
}

/**
 * Runs the request once per key. Its changes and its stored answer commit together. An endpoint that asks a provider or
 * checks a password must not do so within a transaction: its key is claimed before, and its answer is stored
 * afterwards.
 * @throws 409 while the same request is running, 422 for a key that was used for another request
 */
export async function answerOnce(
  endpoint: Endpoint,
  call: Call,
  { idempotencyKeys: keys, inOneTransaction }: KeyedServices,
  { act, printAgain }: KeyedAction,
): Promise<Answer> {
  const keyedRequest = readKeyedRequest(endpoint, call);
  if (canRunInOneTransaction(endpoint)) {
    const claimAndAct = async () => {
      const stored = await claim(keys, keyedRequest, 'by-transaction');
      if (stored) return await replay(stored, printAgain);
      const answer = await answerOrRefusal(call, act);
      await keys.storeAnswer(keyedRequest, toStoredAnswer(answer));
      return answer;
    };
    return await inOneTransaction(claimAndAct);
  }
  const stored = await claim(keys, keyedRequest, 'by-row');
  if (stored) return await replay(stored, printAgain);
  try {
    const answer = await answerOrRefusal(call, act);
    await keys.storeAnswer(keyedRequest, toStoredAnswer(answer));
    return answer;
  } catch (error) {
    await keys.release(keyedRequest);
    throw error;
  }
}

async function claim(
  keys: IdempotencyKeys,
  keyedRequest: KeyedRequest,
  claimKind: 'by-transaction' | 'by-row',
): Promise<StoredAnswer | null> {
  const claim = await keys.claim(keyedRequest, claimKind);
  if (claim === 'busy')
    throw conflict(
      'idempotency-key-in-use',
      'A request with this Idempotency-Key is still running. Wait for its answer.',
    );
  if (claim === 'different-request') {
    const sentence = 'This Idempotency-Key was used for another request.';
    throw invalidInput({ 'Idempotency-Key': [sentence] }, 'idempotency-key-reused');
  }
  return claim;
}

function toStoredAnswer({ status, body, etag, resourceId }: Answer): StoredAnswer {
  if (body === null || (typeof body === 'string' && Buffer.byteLength(body) <= maxStoredBytes))
    return { status, body, etag, omitted: null };
  return { status, body: null, etag, omitted: { resourceId: resourceId ?? null } };
}

/** @throws 404 when the resource of an omitted answer was deleted, 409 when it cannot be read */
async function replay(
  { status, body, etag, omitted }: StoredAnswer,
  printAgain: KeyedAction['printAgain'],
): Promise<Answer> {
  if (omitted === null) return { status, body, etag, replayed: true };
  if (omitted.resourceId === null || printAgain === null)
    throw conflict(
      'idempotent-answer-not-kept',
      `The request was already answered with status ${status}, but the answer was too long to be stored. Read the resource that it created or changed.`,
    );
  return { ...(await printAgain(omitted.resourceId)), status, replayed: true };
}

/** A refusal is stored as an answer, a temporary failure is not. */
async function answerOrRefusal({ request }: Call, act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Failure) || temporaryCodes.has(error.code)) throw error;
    const { status, body } = printFailure(error, request);
    if (status >= 500 || status === 401 || status === 429) throw error;
    return { status, body, etag: null };
  }
}

const temporaryCodes = new Set<string>(['conflict', 'precondition-failed']);

const keyPattern = /^[\x20-\x7E]{1,255}$/;

function readKeyedRequest(endpoint: Endpoint, { principal, request }: Call): KeyedRequest {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string' || !keyPattern.test(key)) {
    throw invalidInput({ 'Idempotency-Key': ['The Idempotency-Key must have 1 to 255 printable ASCII characters.'] });
  }
  // A stored answer is returned only to a token of the same kind, client and scopes.
  const token = principal && [principal.tokenKind, principal.clientId, principal.scopes.toSorted()];
  return {
    claimId: newUuid(),
    caller: principal ? `${principal.kind} ${principal.id}` : `address ${request.ip}`,
    key,
    content: JSON.stringify([endpoint.method, request.url, request.body ?? null, token]),
  };
}
