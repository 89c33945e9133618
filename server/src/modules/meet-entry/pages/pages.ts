import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../../dependencies.ts';
import { cutText, maxNameLength } from '../../../platform/text/cut-text.ts';
import { Failure } from '../../../platform/failures.ts';
import { refuseOtherMethods } from '../../../platform/http/server/http-server.ts';
import { formFieldsOf } from '../../../platform/page/page-form.ts';
import { joinAsVisitor } from '../enter-room.ts';
import {
  answerFailure,
  sendJoinPage,
  sendFailedEntry,
  sendCrossSite,
  sendRefusal,
  isAboutInvitation,
} from './answers.ts';
import { forgetWaiting, readName, readWaiting, rememberName, rememberToken, rememberWaiting } from './cookies.ts';
import { requestResetLink, showForgotten } from './forgotten-password.ts';
import { readyPage, waitingPage } from './join-page.tsx';
import { cleanName } from '../clean-name.ts';
import { keepLanguage, readVisit } from './request.ts';
import { securityHeaders, isCrossSite, redirect, sendPage } from './response.ts';
import { registerScript } from './script.ts';
import { actorOfVisit, showSignIn, signIn, signOut } from './sign-in.ts';
import type { PageHandler } from './page-types.ts';
import type { Visit } from './visit.ts';
import { createWaitingRoom, type WaitingRoom, findRunningRooms } from '../waiting/waiting-room.ts';

/** The pages of the rooms. They need neither an account nor JavaScript. */
export function registerRoomPages(server: FastifyInstance, dependencies: Dependencies): void {
  registerScript(server);
  const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    void answerFailure(dependencies, error, request, reply);
  };
  const register = (path: string, show: PageHandler, submit?: PageHandler, config: FastifyContextConfig = {}) => {
    const url = `/rooms/:room_id${path}`;
    server.get(url, { errorHandler }, (request, reply) => show(dependencies, request, reply));
    if (submit) server.post(url, { errorHandler, config }, (request, reply) => submit(dependencies, request, reply));
    const [verbs, allow] = submit ? [['GET', 'POST'], 'GET, HEAD, POST'] : [['GET'], 'GET, HEAD'];
    refuseOtherMethods(server, url, new Set(verbs), allow);
  };
  const waitingRoom = createWaitingRoom((rooms) => findRunningRooms(dependencies.db, rooms), dependencies.logger);
  server.addHook('preClose', (done) => {
    waitingRoom.close();
    done();
  });
  register('', showRoomPage, enter);
  register('/:slug', showRoomPage, enter);
  register('/:slug/sign-in', showSignIn, signIn, { rateLimit: 'login' });
  register('/:slug/sign-out', async (...call) => redirect(call[2], 302, (await readVisit(...call)).href), signOut);
  register('/:slug/forgotten-password', showForgotten, requestResetLink, { rateLimit: 'login' });
  register('/:slug/waiting', wait);
  register('/:slug/waiting/news', (_, request, reply) => streamStart(dependencies, waitingRoom, request, reply));
}

const showRoomPage: PageHandler = async (dependencies, request, reply) => {
  const visit = await readVisit(dependencies, request, reply);
  if (!visit.hasCanonicalUrl) return redirect(reply, 302, visit.href);
  keepLanguage(request, reply, visit);
  if (visit.refusal)
    return sendRefusal(
      reply,
      visit,
      visit.refusal,
      isAboutInvitation(visit.refusal) ? await visit.loadRecordings() : [],
    );
  const remembered = readName(request);
  const name =
    visit.user === null
      ? remembered || (visit.invitedName ?? '')
      : cleanName(cutText(visit.user.fullName, maxNameLength));
  return sendJoinPage(reply, visit, { status: 200, name }, await visit.loadRecordings());
};

const enter: PageHandler = async (dependencies, request, reply) => {
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
    const isNew = visit.token === null;
    // A watch page links back to the room without the token, because others may get its address.
    const isFromLink = visit.isWatched && visit.href !== visit.hrefWithoutToken;
    if (token !== null && (isNew || isFromLink)) rememberToken({ request, reply }, visit, token, { isNew });
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
};

/** The names of signed-in users are not remembered, so that the browser does not keep them after the sign-out. */
function keepName(request: FastifyRequest, reply: FastifyReply, { user, chrome }: Visit, name: string): void {
  if (user === null) rememberName(request, reply, chrome.roomsPath, name);
}

/** The waiting page: checks every few seconds whether the meeting is running, then joins it. */
const wait: PageHandler = async (dependencies, request, reply) => {
  const visit = await readVisit(dependencies, request, reply);
  if (!visit.hasCanonicalUrl) return redirect(reply, 302, visit.waitingHref);
  keepLanguage(request, reply, visit);
  if (visit.refusal) return sendRefusal(reply, visit, visit.refusal);
  const visitor = await readWaiting(dependencies, request, visit.roomId);
  if (!visitor || !visit.acceptsCode(visitor.accessCode)) return redirect(reply, 302, visit.href);
  const { chrome, room, href } = visit;
  const html =
    visit.isRunning || visit.mayStart
      ? readyPage(chrome, room, { ...visitor, action: href })
      : waitingPage(chrome, room, { name: visitor.name, joinHref: href, waitingEventsHref: visit.waitingEventsHref });
  return sendPage(reply, 200, html, visit.pagePolicy);
};

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
