import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../failures.ts';
import { describeFailure, type FailureAnswer } from '../http/failures/respond-to-failure.ts';
import type { Texts } from '../text/catalogues.ts';

/** The text fields of a submitted form. */
export function formFieldsOf({ body }: Pick<FastifyRequest, 'body'>): Partial<Record<string, string>> {
  if (typeof body !== 'object' || body === null) return {};
  return Object.fromEntries(Object.entries(body).filter(([, entry]) => typeof entry === 'string'));
}

/** The failure to show in the form; sets `Retry-After`. @throws the error itself if it is not a `Failure` */
export function formFailure(reply: FastifyReply, error: unknown): FailureAnswer {
  if (!(error instanceof Failure)) throw error;
  const failure = describeFailure(error);
  if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter));
  return failure;
}

/** The alert for a failure after which the form can be sent again later; null for other failures. */
export function laterAlert(texts: Texts['forms'], status: number): string | null {
  return status === 429 ? texts.tooManyRequests : status === 503 ? texts.busy : null;
}

/** Why a new password is not accepted; null when it is. */
export function passwordFault(texts: Texts['forms'], password: string, isRefused: boolean): string | null {
  const length = [...password].length;
  if (length === 0) return texts.passwordMissing;
  if (length < 12) return texts.passwordTooShort;
  if (length > 128) return texts.passwordTooLong;
  return isRefused ? texts.passwordTooCommon : null;
}
