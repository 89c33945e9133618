import type { FastifyReply } from 'fastify';
import { formats } from '../../../platform/http/input/formats.ts';
import { actorOf } from '../../../platform/http/respond.ts';
import { formFailure, formFieldsOf } from '../../../platform/page/page-form.ts';
import { requestReset } from '../../password-reset/index.ts';
import { sendCrossSite } from './answers.ts';
import { type ForgottenForm, forgottenPage } from './person.tsx';
import { keepLanguage, readVisit } from './request.ts';
import { isCrossSite, redirect, sendPage } from './response.ts';
import type { Visit } from './visit.ts';
import type { PageHandler } from './page-types.ts';

/** Only for users of customers: administrators do not sign in on room pages. */
export const showForgotten: PageHandler = async (dependencies, request, reply) => {
  const visit = await readVisit(dependencies, request, reply);
  const { forgottenPasswordHref: href } = visit.passwordHelp;
  if (href === null) return redirect(reply, 302, visit.signInHref);
  if (!visit.hasCanonicalUrl) return redirect(reply, 302, href);
  keepLanguage(request, reply, visit);
  const isSent = 'sent' in (request.query as Record<string, unknown>);
  return isSent ? sendMailSentPage(reply, visit) : sendForm(reply, 200, visit, {});
};

/** The answer and its duration are the same whether the email is known or not. */
export const requestResetLink: PageHandler = async (dependencies, request, reply) => {
  const visit = await readVisit(dependencies, request, reply);
  const { forgottenPasswordHref: href } = visit.passwordHelp;
  if (isCrossSite(request, dependencies.publicUrl())) return sendCrossSite(reply, visit);
  if (href === null) return redirect(reply, 303, visit.signInHref);
  const { signIn, forgottenPassword } = visit.chrome.texts;
  const typed = formFieldsOf(request)['email']?.trim() ?? '';
  const email = typed.length > 254 ? null : formats.email.read(typed);
  if (email === null) return sendForm(reply, 422, visit, { email: typed, emailError: signIn.emailMissing });
  try {
    const origin = { roomId: visit.roomId, roomTokenId: visit.tokenId };
    await requestReset(dependencies, actorOf(null, request), { population: 'users', email, origin });
  } catch (error) {
    if (formFailure(reply, error).status !== 429) throw error;
    return sendForm(reply, 429, visit, { email, alert: forgottenPassword.tooOften });
  }
  return redirect(reply, 303, `${href}${href.includes('?') ? '&' : '?'}sent=1`);
};

function sendForm(reply: FastifyReply, status: number, visit: Visit, values: Partial<ForgottenForm>): FastifyReply {
  const { chrome, room, passwordHelp, signInHref, pagePolicy } = visit;
  const action = passwordHelp.forgottenPasswordHref ?? '';
  const form: ForgottenForm = { action, email: '', emailError: null, alert: null, ...values };
  return sendPage(reply, status, forgottenPage(chrome, room, form, signInHref), pagePolicy);
}

/** Says that a mail was sent, whether the email is known or not. */
function sendMailSentPage(reply: FastifyReply, { chrome, room, signInHref, pagePolicy }: Visit): FastifyReply {
  return sendPage(reply, 200, forgottenPage(chrome, room, null, signInHref), pagePolicy);
}
