import type { ErrorCode } from '@foyer/contract/conventions/error-codes.ts';

/** Field name (nested with dots) to the sentences about it. */
export type FieldFaults = Record<string, string[]>;

/**
 * Thrown when an action is refused or fails. A failure has no HTTP status: `http/failures/respond-to-failure.ts` maps
 * its code to a status.
 */
export class Failure extends Error {
  readonly code: ErrorCode;
  readonly details: FailureDetails;

  constructor(code: ErrorCode, message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'Failure';
    this.code = code;
    this.details = details;
  }
}

/** A limit of a subscription that refused a request. */
export interface RefusedLimit {
  /** A UUID. */
  readonly subscriptionId: string;
  readonly tag: string;
  readonly limit: string;
  readonly used: number;
}

export interface FailureDetails {
  errors?: FieldFaults;
  /** The `error` member of OAuth endpoints (RFC 6749). */
  oauthError?: string;
  /** Seconds after which the caller may try again. */
  retryAfter?: number;
  /** Recorded as an event; never sent to the caller. */
  limit?: RefusedLimit;
  /** For the log; never sent to the caller. */
  cause?: unknown;
}

/** How many fields one answer names. The message counts the errors of the other fields. */
const maxNamedFields = 100;

/** Collects the errors of an input of any length. */
export class FaultList {
  readonly named: FieldFaults = {};
  /** How many errors belong to fields that are not named. */
  unnamed = 0;
  #fieldsLeft = maxNamedFields;

  add(faults: FieldFaults): void {
    for (const [name, sentences] of Object.entries(faults)) {
      if (this.#fieldsLeft === 0) {
        this.unnamed += sentences.length;
        continue;
      }
      this.#fieldsLeft -= 1;
      this.named[name] = sentences;
    }
  }
}

/**
 * 422: the input is wrong. The first hundred wrong fields are named.
 * @param unnamed how many further errors there are
 */
export function invalidInput(errors: FieldFaults, code: ErrorCode = 'validation-failed', unnamed: number = 0): Failure {
  const faults = new FaultList();
  faults.add(errors);
  return new Failure(code, summarizeFaults(faults.named, faults.unnamed + unnamed), { errors: faults.named });
}

export function unauthenticated(): Failure {
  return new Failure('unauthenticated', 'Unauthenticated.');
}

export function forbidden(code: ErrorCode, message: string): Failure {
  return new Failure(code, message);
}

export function notFound(message = 'The resource was not found.'): Failure {
  return new Failure('not-found', message);
}

/** The client of a read has disconnected, so the rest of the work is not done. */
export function clientClosed(): Failure {
  return new Failure('malformed-request', 'The client closed the connection before the answer was sent.');
}

/** 409: the input is right, but the current state does not allow it. */
export function conflict(code: ErrorCode, message: string, errors?: FieldFaults): Failure {
  return new Failure(code, message, errors ? { errors } : {});
}

/** 503: a dependency does not respond. The caller may try again later. */
export function unavailable(code: ErrorCode, message: string, details: FailureDetails = {}): Failure {
  return new Failure(code, message, { retryAfter: 5, ...details });
}

function summarizeFaults(errors: FieldFaults, unnamed: number): string {
  const sentences = Object.values(errors).flat();
  const first = sentences[0] ?? 'The given data was invalid.';
  const more = sentences.length - 1 + unnamed;
  if (more < 1) return first;
  return `${first} (and ${more} more ${more === 1 ? 'error' : 'errors'})`;
}
