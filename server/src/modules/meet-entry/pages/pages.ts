import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../../dependencies.ts';
import { cutText, maxNameLength } from '../../../platform/text/cut-text.ts';
import { Failure } from '../../../platform/failures.ts';
import { refuseOtherVerbs } from '../../../platform/http/server/http-server.ts';
import { formFieldsOf } from '../../../platform/page/page-form.ts';
import { joinAsVisitor } from '../join-room.ts';
import { answerFailure, sendJoinPage, sendFailedEntry, sendCrossSite, sendRefusal } from './answers.ts';
import { forgetWaiting, readName, readWaiting, rememberGuestToken, rememberName, rememberWaiting } from './cookies.ts';
import { requestResetLink, showForgotten } from './forgotten-password.ts';
import { readyPage, waitingPage } from './join-page.tsx';
import { cleanName } from '../clean-name.ts';
import { isAboutInvitation } from './input.ts';
import { keepLanguage, readVisit } from './request.ts';
import { securityHeaders, isCrossSite, redirect, sendPage } from './response.ts';
import { registerScript } from './script-asset.ts';
import { actorOfVisit, showSignIn, signIn, signOut } from './sign-in.ts';
import type { Visit } from './visit.ts';
import { openWaitingRoom, type WaitingRoom } from '../waiting/waiting-room.ts';
import { runningAmong } from '../waiting/waiting-store.ts';

/** The pages of the rooms. They need neither an account nor JavaScript. */
export function registerRoomPages(server: FastifyInstance, dependencies: Dependencies): void {
  registerScript(server);
  const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    void answerFailure(dependencies, error, request, reply);
  };
  for (const url of ['/rooms/:room_id', '/rooms/:room_id/:slug']) {
    server.get(url, { errorHandler }, (request, reply) => showRoomPage(dependencies, request, reply));
    server.post(url, { errorHandler }, (request, reply) => enter(dependencies, request, reply));
    refuseOtherVerbs(server, url, new Set(['GET', 'POST']), 'GET, HEAD, POST');
  }
  const signInUrl = '/rooms/:room_id/:slug/sign-in';
  server.get(signInUrl, { errorHandler }, (request, reply) => showSignIn(dependencies, request, reply));
  server.post(signInUrl, { errorHandler, config: { limit: 'login' } }, (request, reply) =>
    signIn(dependencies, request, reply),
  );
  refuseOtherVerbs(server, signInUrl, new Set(['GET', 'POST']), 'GET, HEAD, POST');
  const signOutUrl = '/rooms/:room_id/:slug/sign-out';
  server.get(signOutUrl, { errorHandler }, async (request, reply) =>
    redirect(reply, 302, (await readVisit(dependencies, request, reply)).href),
  );
  server.post(signOutUrl, { errorHandler }, (request, reply) => signOut(dependencies, request, reply));
  refuseOtherVerbs(server, signOutUrl, new Set(['GET', 'POST']), 'GET, HEAD, POST');
  const forgottenUrl = '/rooms/:room_id/:slug/forgotten-password';
  server.get(forgottenUrl, { errorHandler }, (request, reply) => showForgotten(dependencies, request, reply));
  server.post(forgottenUrl, { errorHandler, config: { limit: 'login' } }, (request, reply) =>
    requestResetLink(dependencies, request, reply),
  );
  refuseOtherVerbs(server, forgottenUrl, new Set(['GET', 'POST']), 'GET, HEAD, POST');
  const waitingUrl = '/rooms/:room_id/:slug/waiting';
  server.get(waitingUrl, { errorHandler }, (request, reply) => wait(dependencies, request, reply));
  refuseOtherVerbs(server, waitingUrl, new Set(['GET']), 'GET, HEAD');
  const waitingRoom = openWaitingRoom((rooms) => runningAmong(dependencies.db, rooms), dependencies.logger);
  server.addHook('preClose', (done) => {
    waitingRoom.close();
    done();
  });
  const newsUrl = `${waitingUrl}/news`;
  server.get(newsUrl, { errorHandler }, (request, reply) => streamStart(dependencies, waitingRoom, request, reply));
  refuseOtherVerbs(server, newsUrl, new Set(['GET']), 'GET, HEAD');
}

async function showRoomPage(
  dependencies: Dependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const visit = await readVisit(dependencies, request, reply);
  if (!visit.isAtAddress) return redirect(reply, 302, visit.href);
  keepLanguage(request, reply, visit);
  if (visit.refusal)
    return sendRefusal(reply, visit, visit.refusal, isAboutInvitation(visit.refusal) ? await visit.recordings() : []);
  const remembered = readName(request);
  const name =
    visit.user === null
      ? remembered || (visit.invitedName ?? '')
      : cleanName(cutText(visit.user.fullName, maxNameLength));
  return sendJoinPage(reply, visit, { status: 200, name }, await visit.recordings());
}

async function enter(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const visit = await readVisit(dependencies, request, reply);
  const { texts } = visit.chrome;
  if (isCrossSite(request, dependencies.publicUrl())) return sendCrossSite(reply, visit);
  const form = formFieldsOf(request);
  const name = cleanName(form['name'] ?? '');
  const accessCode = form['access_code']?.trim() || null;
  const typed = { name, accessCode: accessCode ?? '' };
  if (visit.refusal) return sendRefusal(reply, visit, visit.refusal);
  // The role must not be lower than the page showed.
  if (form['as_member'] !== undefined && visit.memberRole === null)
    return sendJoinPage(reply, visit, { status: 403, ...typed, alert: texts.signIn.ended });
  if (name === '') return sendJoinPage(reply, visit, { status: 422, ...typed, nameError: texts.nameMissing });
  if ([...name].length > maxNameLength)
    return sendJoinPage(reply, visit, { status: 422, ...typed, nameError: texts.nameTooLong });
  try {
    const { entry, token } = await joinAsVisitor(dependencies, actorOfVisit(visit, request), visit.roomId, {
      token: visit.token,
      accessCode,
      name,
      staffRole: visit.memberRole,
      userId: visit.user?.id ?? null,
    });
    keepName(request, reply, visit, name);
    if (visit.token === null && token !== null) rememberGuestToken(request, reply, visit, token);
    forgetWaiting(request, reply, visit.path, visit.roomId);
    return redirect(reply, 303, entry.url);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.code === 'waiting-for-moderator') {
      keepName(request, reply, visit, name);
      await rememberWaiting(dependencies, { request, reply }, visit, { name, accessCode });
      return redirect(reply, 303, visit.waitingHref);
    }
    return sendFailedEntry({ request, reply }, visit, error, typed);
  }
}

/** Sign-out also removes the name of the user. */
function keepName(request: FastifyRequest, reply: FastifyReply, { user, chrome }: Visit, name: string): void {
  if (user === null) rememberName(request, reply, chrome.roomsPath, name);
}

/** The waiting page: checks every few seconds whether the meeting is running, then joins it. */
async function wait(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const visit = await readVisit(dependencies, request, reply);
  if (!visit.isAtAddress) return redirect(reply, 302, visit.waitingHref);
  keepLanguage(request, reply, visit);
  if (visit.refusal) return sendRefusal(reply, visit, visit.refusal);
  const visitor = await readWaiting(dependencies, request, visit.roomId);
  if (!visitor || !visit.acceptsCode(visitor.accessCode)) return redirect(reply, 302, visit.href);
  const { chrome, room, href } = visit;
  const html =
    visit.isRunning || visit.mayStart
      ? readyPage(chrome, room, { ...visitor, action: href })
      : waitingPage(chrome, room, { name: visitor.name, joinHref: href, newsHref: visit.newsHref });
  return sendPage(reply, 200, html, visit.allowed);
}

/**
 * Server-sent events for a waiting visitor: one event when the meeting has started. 204 if there is nothing to wait
 * for.
 */
async function streamStart(
  dependencies: Dependencies,
  waitingRoom: WaitingRoom,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const visit = await readVisit(dependencies, request, reply);
  const visitor = visit.refusal ? null : await readWaiting(dependencies, request, visit.roomId);
  if (!visitor || !visit.acceptsCode(visitor.accessCode)) return reply.headers(securityHeaders).status(204).send();
  // HEAD opens no event stream.
  if (request.method === 'HEAD') return reply.headers(securityHeaders).type('text/event-stream; charset=utf-8').send();
  if (!waitingRoom.connect(visit.roomId, request, reply)) {
    reply.header('retry-after', '10');
    return sendJoinPage(reply, visit, { status: 503, name: visitor.name, alert: visit.chrome.texts.tooManyRequests });
  }
  return reply;
}
