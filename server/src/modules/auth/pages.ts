import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import { Failure } from '../../platform/failures.ts';
import { refuseOtherMethods } from '../../platform/http/server/http-server.ts';
import { actorOf } from '../../platform/http/respond.ts';
import { describeFailure } from '../../platform/http/failures/respond-to-failure.ts';
import { basePath, brokenPageHandler } from '../../platform/page/page-options.ts';
import { formFailure, formFieldsOf, laterAlert } from '../../platform/page/page-form.ts';
import { sendSecretPage } from '../../platform/page/send-page.ts';
import { type TextFrame, textFrameFor } from '../../platform/page/text-frame.ts';
import { createAuthorizationCode } from './authorization-code/authorization-codes.ts';
import {
  answerAddress,
  type AuthorizationError,
  type AuthorizationRequest,
  readAuthorizationRequest,
} from './authorization-code/authorization-request.ts';
import {
  type FirstStep,
  isOwnForm,
  findLoggedInOwner,
  logIn,
  logOut,
  openFirstStep,
  type PageSession,
  sealFirstStep,
  openPageSession,
} from './authorization-code/authorization-session.ts';
import { checkCredentials } from './sessions/check-credentials.ts';
import {
  consentPage,
  type LoginForm,
  loginPage,
  secondFactorPage,
  stalePage,
  unusablePage,
} from './authorization-code/page-authorize.tsx';
import type { Owner, ProvenOwner } from './store.ts';

/** One request to the consent page. */
interface Step {
  readonly dependencies: Dependencies;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly chrome: TextFrame;
  readonly authorization: AuthorizationRequest;
  /** Path of the page, and of its cookie. */
  readonly path: string;
  /** The page with the parameters of the authorization request. */
  readonly href: string;
}

/**
 * The page on which people sign in for a client and consent to its scopes (RFC 6749, 4.1). Works without JavaScript.
 */
export function registerAuthorizePages(server: FastifyInstance, dependencies: Dependencies): void {
  const sendBrokenPage = brokenPageHandler(dependencies, 'consent page');
  const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const { retryAfter } = describeFailure(error);
    if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
    sendBrokenPage(error, request, reply);
  };
  for (const url of ['/oauth/authorize', '/api/v1/oauth/authorize']) {
    const config = { isOpenedByOthers: true, holdsSecret: true } as const;
    server.get(url, { errorHandler, config }, (request, reply) => begin(dependencies, request, reply, show));
    server.post(url, { errorHandler, config: { ...config, rateLimit: 'login' } }, (request, reply) =>
      begin(dependencies, request, reply, handleForm),
    );
    refuseOtherMethods(server, url, new Set(['GET', 'POST']), 'GET, HEAD, POST');
  }
}

/** Validates the client and the redirect URI before anything else. */
async function begin(
  dependencies: Dependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  next: (step: Step) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const chrome = textFrameFor(dependencies, request);
  const [ownPath = '', query = ''] = request.url.split(/\?(.*)/s, 2);
  const result = await readAuthorizationRequest(dependencies.db, new URLSearchParams(query));
  if (result.kind === 'unusable') return sendSecretPage(reply, 400, unusablePage(chrome, result.reason));
  if (result.kind === 'refused') {
    const { target, state, error, description } = result;
    return answerClient(dependencies, reply, { target, state }, { error, error_description: description });
  }
  const path = `${basePath(dependencies)}${ownPath}`;
  return await next({
    dependencies,
    request,
    reply,
    chrome,
    authorization: result.request,
    path,
    href: `${path}?${query}`,
  });
}

/** Any local program can listen on a loopback address and pose as this client (RFC 8252, 8.6). */
function canBeImpersonated({ client, target }: AuthorizationRequest): boolean {
  return !client.confidential && new URL(target).protocol !== 'https:';
}

async function show(step: Step): Promise<FastifyReply> {
  const { dependencies, reply, chrome, authorization, href } = step;
  const session = openPageSession(step);
  const owner = await findLoggedInOwner(dependencies, session, authorization.client.population);
  if (!owner) return sendLogin(step, 200, session);
  if (authorization.client.first_party && !canBeImpersonated(authorization)) return await grant(step, owner);
  const { fullName, email } = owner;
  const html = consentPage(chrome, {
    action: href,
    formToken: session.formToken,
    clientName: authorization.client.name,
    fullName,
    email,
    population: authorization.client.population,
    scopes: authorization.scopes,
    host: new URL(authorization.target).host,
  });
  return sendSecretPage(reply, 200, html, [formTarget(authorization)]);
}

async function handleForm(step: Step): Promise<FastifyReply> {
  const { dependencies, request, reply, chrome, authorization, href } = step;
  const form = formFieldsOf(request);
  if (!isOwnForm(request, form['form_token']))
    return sendSecretPage(reply, 403, stalePage(chrome, href), [formTarget(authorization)]);
  const session = openPageSession(step);
  switch (form['do']) {
    case 'confirm':
      return await confirm(step, session, form['first_step'] ?? '', form['otp']?.trim() ?? '');
    case 'leave':
      await logOut(dependencies, step);
      return redirect(reply, href);
    case 'deny':
      return refuse(step, 'access_denied', 'The owner of the account denied the request.');
    case 'allow': {
      const owner = await findLoggedInOwner(dependencies, session, authorization.client.population);
      return owner ? await grant(step, owner) : sendLogin(step, 200, session);
    }
    default:
      return await login(step, session, { name: form['username']?.trim() ?? '', password: form['password'] ?? '' });
  }
}

async function login(step: Step, session: PageSession, input: FirstStep): Promise<FastifyReply> {
  const { fieldMissing, wrongCredentials } = step.chrome.texts.consent;
  const entered = { username: input.name };
  if (input.name === '' || input.password === '') {
    return sendLogin(step, 422, session, {
      ...entered,
      usernameError: input.name === '' ? fieldMissing : null,
      passwordError: input.password === '' ? fieldMissing : null,
    });
  }
  const check = await tryCredentials(step, input, null);
  if ('alert' in check) return sendLogin(step, check.status, session, { ...entered, alert: check.alert });
  if ('owner' in check) return await completeSignIn(step, session, check.owner);
  if (check.refusal === 'wrong-credentials')
    return sendLogin(step, 422, session, { ...entered, alert: wrongCredentials });
  return await sendSecondFactor(step, session, input, { status: 200 });
}

async function confirm(step: Step, session: PageSession, sealed: string, otp: string): Promise<FastifyReply> {
  const { codeWrong, fieldMissing, wrongCredentials } = step.chrome.texts.consent;
  const input = await openFirstStep(step.dependencies, session, sealed);
  if (!input) return sendLogin(step, 200, session);
  if (otp === '') return await sendSecondFactor(step, session, input, { status: 422, codeError: fieldMissing });
  const check = await tryCredentials(step, input, otp);
  if ('alert' in check)
    return await sendSecondFactor(step, session, input, { status: check.status, alert: check.alert });
  if ('owner' in check) return await completeSignIn(step, session, check.owner);
  if (check.refusal === 'wrong-credentials') return sendLogin(step, 422, session, { alert: wrongCredentials });
  return await sendSecondFactor(step, session, input, { status: 422, codeError: codeWrong });
}

type Attempt = Awaited<ReturnType<typeof checkCredentials>> | { readonly alert: string; readonly status: number };

async function tryCredentials(
  { dependencies, request, reply, chrome, authorization }: Step,
  input: FirstStep,
  otp: string | null,
): Promise<Attempt> {
  const population = authorization.client.population;
  try {
    return await checkCredentials(dependencies, { population, ...input, otp, address: request.ip });
  } catch (error) {
    const { status } = formFailure(reply, error);
    const alert = laterAlert(chrome.texts.forms, status);
    if (alert === null) throw error;
    return { status, alert };
  }
}

/** Answers a sign-in with a redirect to the page, so that reloading the page does not send the password again. */
async function completeSignIn(step: Step, session: PageSession, owner: ProvenOwner): Promise<FastifyReply> {
  const { dependencies, reply, chrome, href } = step;
  try {
    await logIn(dependencies, step, owner);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return sendLogin(step, 422, session, { alert: chrome.texts.consent.wrongCredentials });
  }
  return redirect(reply, href);
}

async function grant(step: Step, owner: Owner): Promise<FastifyReply> {
  const { dependencies, request, reply, authorization } = step;
  const code = await createAuthorizationCode(dependencies, actorOf(null, request), {
    client: authorization.client,
    owner,
    scopes: authorization.scopes,
    redirectUri: authorization.redirectUri,
    codeChallenge: authorization.codeChallenge,
    userAgent: request.headers['user-agent'] ?? null,
  });
  return answerClient(dependencies, reply, authorization, { code });
}

function refuse(
  { dependencies, reply, authorization }: Step,
  error: AuthorizationError,
  description: string,
): FastifyReply {
  return answerClient(dependencies, reply, authorization, { error, error_description: description });
}

function answerClient(
  dependencies: Dependencies,
  reply: FastifyReply,
  { target, state }: Pick<AuthorizationRequest, 'target' | 'state'>,
  answer: Readonly<Record<string, string>>,
): FastifyReply {
  return redirect(reply, answerAddress(target, dependencies.publicUrl(), state, answer));
}

function sendLogin(step: Step, status: number, session: PageSession, input: Partial<LoginForm> = {}): FastifyReply {
  const { reply, chrome, authorization, href } = step;
  const html = loginPage(chrome, {
    action: href,
    formToken: session.formToken,
    clientName: authorization.client.name,
    population: authorization.client.population,
    username: '',
    usernameError: null,
    passwordError: null,
    alert: null,
    ...input,
  });
  return sendSecretPage(reply, status, html, [formTarget(authorization)]);
}

async function sendSecondFactor(
  step: Step,
  session: PageSession,
  input: FirstStep,
  { status, codeError = null, alert = null }: { status: number; codeError?: string | null; alert?: string | null },
): Promise<FastifyReply> {
  const { dependencies, reply, chrome, authorization, href } = step;
  const html = secondFactorPage(chrome, {
    action: href,
    formToken: session.formToken,
    username: input.name,
    firstStep: await sealFirstStep(dependencies, session, input),
    codeError,
    alert,
  });
  return sendSecretPage(reply, status, html, [formTarget(authorization)]);
}

/** 303, because with 307 or 308 the browser would send the form on, with the password (RFC 9700, 4.12). */
function redirect(reply: FastifyReply, address: string): FastifyReply {
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(address, 303);
}

/** Browsers apply `form-action` to redirects after a form as well, so the redirect address is listed. */
function formTarget({ target }: AuthorizationRequest): string {
  const { origin, hostname, protocol } = new URL(target);
  // CSP sources cannot be IPv6 addresses.
  return hostname.startsWith('[') ? protocol : origin;
}
