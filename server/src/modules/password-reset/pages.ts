import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import { actorOf } from '../../platform/http/respond.ts';
import { basePath, secretPageOptions, tokenOf } from '../../platform/page/page-options.ts';
import { formFailure, formFieldsOf, laterAlert, passwordFault } from '../../platform/page/page-form.ts';
import { sendSecretPage } from '../../platform/page/send-page.ts';
import { textFrameFor } from '../../platform/page/text-frame.ts';
import { signInLink } from '../rooms/index.ts';
import { invalidLinkPage, type ResetForm, resetDonePage, resetPage } from './page-reset.tsx';
import { findOpenReset, type OpenReset, resetPassword } from './reset-password.ts';

/** GET shows the form, POST sets the password: link previews and scanners change nothing. */
export function registerPasswordResetPages(server: FastifyInstance, dependencies: Dependencies): void {
  const options = secretPageOptions(dependencies, 'password page');
  server.get('/password-reset/:token', options, (request, reply) => show(dependencies, request, reply));
  server.post('/password-reset/:token', options, (request, reply) => reset(dependencies, request, reply));
}

async function show(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return await sendForm(dependencies, request, reply, { status: 200, passwordError: null, alert: null });
}

async function reset(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const chrome = textFrameFor(dependencies, request);
  const { forms } = chrome.texts;
  const password = formFieldsOf(request)['password'] ?? '';
  try {
    const actor = actorOf(null, request);
    const reset = await resetPassword(dependencies, actor, null, { token: tokenOf(request), password });
    return sendSecretPage(reply, 200, resetDonePage(chrome, await signInHref(dependencies, reset)));
  } catch (error) {
    const { status, errors } = formFailure(reply, error);
    const alert = laterAlert(forms, status);
    if (alert !== null) return await sendForm(dependencies, request, reply, { status, alert });
    if (status !== 422) throw error;
    const passwordError = passwordFault(forms, password, errors['password'] !== undefined);
    return await sendForm(dependencies, request, reply, { status: 422, passwordError });
  }
}

/** Sends the form; without a valid link, a page that says that the link is not valid. */
async function sendForm(
  dependencies: Dependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, ...content }: Partial<Pick<ResetForm, 'passwordError' | 'alert'>> & { readonly status: number },
): Promise<FastifyReply> {
  const chrome = textFrameFor(dependencies, request);
  const openReset = await findOpenReset(dependencies, tokenOf(request));
  if (!openReset) return sendSecretPage(reply, 404, invalidLinkPage(chrome));
  const action = `${basePath(dependencies)}/password-reset/${tokenOf(request)}`;
  const form: ResetForm = { action, email: openReset.person.email, passwordError: null, alert: null, ...content };
  return sendSecretPage(reply, status, resetPage(chrome, form));
}

/** Always an address of this platform; null for a user if the room of the request is unknown. */
async function signInHref(dependencies: Dependencies, { person, origin }: OpenReset): Promise<string | null> {
  if (person.population === 'admins') return `${basePath(dependencies)}/console/`;
  return origin && (await signInLink(dependencies, origin, person.id));
}
