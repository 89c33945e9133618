import type { FastifyRequest } from 'fastify';
import type { Texts } from '../text/catalogues.ts';

/** The texts of a form that a page sent. */
export function formFieldsOf({ body }: Pick<FastifyRequest, 'body'>): Partial<Record<string, string>> {
  if (typeof body !== 'object' || body === null) return {};
  return Object.fromEntries(Object.entries(body).filter(([, entry]) => typeof entry === 'string'));
}

/** Why a new password is not accepted; null when it is. */
export function passwordFault(texts: Texts['forms'], password: string, isRefused: boolean): string | null {
  const length = [...password].length;
  if (length === 0) return texts.passwordMissing;
  if (length < 12) return texts.passwordTooShort;
  if (length > 128) return texts.passwordTooLong;
  return isRefused ? texts.passwordTooCommon : null;
}
