import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../../dependencies.ts';
import { bestMatch } from '../../../platform/text/language.ts';
import { formFieldsOf } from '../../../platform/page/page-form.ts';
import { forgetToken, forgetSignIn, rememberLanguage } from './cookies.ts';
import { languageIn, loadVisit, type Visit } from './visit.ts';

/**
 * Loads the visit of this request, and removes cookies that are no longer valid.
 * @throws 404
 */
export async function readVisit(
  dependencies: Dependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visit> {
  const { room_id = '', slug } = request.params as { room_id?: string; slug?: string };
  const { token } = request.query as { token?: string | string[] };
  const tokenText = (Array.isArray(token) ? token.at(-1) : token) || formFieldsOf(request)['token'] || null;
  const visit = await loadVisit(dependencies, request, { roomId: room_id, slug, token: tokenText });
  if (visit.hasSignInExpired) forgetSignIn(request, reply, visit.chrome.roomsPath);
  if (visit.isRememberedTokenInvalid) forgetToken(request, reply, visit.path, visit.roomId);
  return visit;
}

export function keepLanguage(request: FastifyRequest, reply: FastifyReply, { chrome }: Visit): void {
  const { language } = chrome.texts;
  if (bestMatch(languageIn(request), [language]) === language)
    rememberLanguage(request, reply, chrome.roomsPath, language);
}
