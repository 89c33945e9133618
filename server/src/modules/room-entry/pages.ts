import type { EntryRefusal } from '@foyer/contract/room-entry.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import { Failure } from '../../platform/failures.ts';
import { actorOf } from '../../platform/http/respond.ts';
import { refuseOtherVerbs } from '../../platform/http/http-server.ts';
import { describeFailure } from '../../platform/http/respond-to-failure.ts';
import type { WatchableRecording } from '../recordings/index.ts';
import { admitVisitor } from './admit-visitor.ts';
import {
  forgetGuestToken,
  forgetWaiting,
  readName,
  readWaiting,
  rememberGuestToken,
  rememberLanguage,
  rememberName,
  rememberWaiting,
} from './page-cookies.ts';
import { type DoorForm, doorPage, longestName, readyPage, refusalPage, waitingPage } from './page-door.tsx';
import { cleanName, isAboutInvitation, isEntryRefusal, isLasting } from './page-input.ts';
import { guarded, isForeign, redirect, sendPage } from './page-response.ts';
import { registerScript } from './page-script-asset.ts';
import { fill } from './page-texts.ts';
import { chromeFor, isAboutCode, languageIn, loadVisit, type Visit } from './page-visit.ts';
import { openWaitingRoom, type WaitingRoom } from './waiting-room.ts';
import { runningAmong } from './waiting-store.ts';

/** The doors of the rooms, for people: at the address of each room, without an account and without JavaScript. */
export function registerRoomPages(app: FastifyInstance, dependencies: Dependencies): void {
  registerScript(app);
  const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    void answerFailure(dependencies, error, request, reply);
  };
  for (const url of ['/rooms/:room_id', '/rooms/:room_id/:slug']) {
    app.get(url, { errorHandler }, (request, reply) => showDoor(dependencies, request, reply));
    app.post(url, { errorHandler }, (request, reply) => enter(dependencies, request, reply));
    refuseOtherVerbs(app, url, new Set(['GET', 'POST']), 'GET, HEAD, POST');
  }
  app.get('/rooms/:room_id/:slug/waiting', { errorHandler }, (request, reply) => wait(dependencies, request, reply));
  const waitingRoom = openWaitingRoom((rooms) => runningAmong(dependencies.db, rooms), dependencies.logger);
  app.addHook('preClose', (done) => {
    waitingRoom.close();
    done();
  });
  app.get('/rooms/:room_id/:slug/waiting/news', { errorHandler }, (request, reply) =>
    tellWhenOpen(dependencies, waitingRoom, request, reply),
  );
}

async function showDoor(
  dependencies: Dependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const visit = await visitOf(dependencies, request, reply);
  if (!visit.isAtAddress) return redirect(reply, 302, visit.href);
  keepLanguage(request, reply, visit);
  if (visit.refusal)
    return sendRefusal(reply, visit, visit.refusal, isAboutInvitation(visit.refusal) ? await visit.recordings() : []);
  return sendDoor(reply, 200, visit, { name: readName(request) }, await visit.recordings());
}

async function enter(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const visit = await visitOf(dependencies, request, reply);
  const { texts } = visit.chrome;
  if (isForeign(request, dependencies.publicUrl())) return sendForeign(reply, visit);
  const form = formOf(request);
  const name = cleanName(form['name'] ?? '');
  const accessCode = form['access_code']?.trim() || null;
  const typed = { name, accessCode: accessCode ?? '' };
  if (visit.refusal) return sendRefusal(reply, visit, visit.refusal);
  if (name === '') return sendDoor(reply, 422, visit, { ...typed, nameError: texts.nameMissing });
  if (name.length > longestName) return sendDoor(reply, 422, visit, { ...typed, nameError: texts.nameTooLong });
  try {
    const actor = actorOf(null, request);
    const { entry, token } = await admitVisitor(dependencies, actor, visit.roomId, {
      token: visit.token,
      accessCode,
      name,
      staffRole: null,
    });
    rememberName(request, reply, visit.chrome.roomsPath, name);
    if (visit.token === null && token !== null) rememberGuestToken(request, reply, visit.path, visit.roomId, token);
    forgetWaiting(request, reply, visit.path, visit.roomId);
    return redirect(reply, 303, entry.url);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.code === 'waiting-for-moderator') {
      rememberName(request, reply, visit.chrome.roomsPath, name);
      await rememberWaiting(dependencies, request, reply, visit.path, visit.roomId, { name, accessCode });
      return redirect(reply, 303, visit.waitingHref);
    }
    return sendFailedEntry(request, reply, visit, error, typed);
  }
}

/** For who came too early: looks every few seconds whether the meeting runs, and then leads in. */
async function wait(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const visit = await visitOf(dependencies, request, reply);
  if (!visit.isAtAddress) return redirect(reply, 302, visit.waitingHref);
  keepLanguage(request, reply, visit);
  if (visit.refusal) return sendRefusal(reply, visit, visit.refusal);
  const visitor = await readWaiting(dependencies, request, visit.roomId);
  if (!visitor || !visit.acceptsCode(visitor.accessCode)) return redirect(reply, 302, visit.href);
  const { chrome, room, href } = visit;
  const html =
    visit.isRunning || visit.mayStart
      ? readyPage(chrome, room, { ...visitor, action: href })
      : waitingPage(chrome, room, { name: visitor.name, doorHref: href, newsHref: visit.newsHref });
  return sendPage(reply, 200, html, visit.allowed);
}

/** Server-sent events for a waiting visitor: one, when it is worth looking again. Nothing to wait for is 204. */
async function tellWhenOpen(
  dependencies: Dependencies,
  waitingRoom: WaitingRoom,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const visit = await visitOf(dependencies, request, reply);
  const visitor = visit.refusal ? null : await readWaiting(dependencies, request, visit.roomId);
  if (!visitor || !visit.acceptsCode(visitor.accessCode)) return reply.headers(guarded).status(204).send();
  if (!waitingRoom.seat(visit.roomId, request, reply)) {
    reply.header('retry-after', '10');
    return sendDoor(reply, 503, visit, { name: visitor.name, alert: visit.chrome.texts.tooManyRequests });
  }
  return reply;
}

function keepLanguage(request: FastifyRequest, reply: FastifyReply, { chrome }: Visit): void {
  const language = languageIn(request);
  if (language === chrome.texts.language) rememberLanguage(request, reply, chrome.roomsPath, language);
}

async function visitOf(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<Visit> {
  const { room_id = '', slug } = request.params as { room_id?: string; slug?: string };
  const { token } = request.query as { token?: string | string[] };
  const shown = (Array.isArray(token) ? token.at(-1) : token) || formOf(request)['token'] || null;
  const visit = await loadVisit(dependencies, request, { roomId: room_id, slug, token: shown });
  if (visit.isGuestGone) forgetGuestToken(request, reply, visit.path, visit.roomId);
  return visit;
}

function formOf(request: FastifyRequest): Partial<Record<string, string>> {
  const { body } = request;
  if (typeof body !== 'object' || body === null) return {};
  return Object.fromEntries(Object.entries(body).filter(([, entry]) => typeof entry === 'string'));
}

function sendDoor(
  reply: FastifyReply,
  status: number,
  visit: Visit,
  given: Pick<DoorForm, 'name'> & Partial<DoorForm>,
  recordings: readonly WatchableRecording[] = [],
): FastifyReply {
  const form: DoorForm = {
    action: visit.href,
    role: visit.role ?? 'guest',
    mayStart: visit.mayStart,
    needsCode: visit.needsCode,
    accessCode: '',
    nameError: null,
    codeError: null,
    alert: null,
    ...given,
  };
  const html = doorPage(visit.chrome, visit.room, visit.isRunning ? 'open' : 'notStarted', form, recordings);
  return sendPage(reply, status, html, visit.allowed);
}

function sendRefusal(
  reply: FastifyReply,
  visit: Visit,
  code: EntryRefusal,
  recordings: readonly WatchableRecording[] = [],
): FastifyReply {
  const { texts } = visit.chrome;
  const html = refusalPage(visit.chrome, visit.room, {
    state: isAboutInvitation(code) ? 'invited' : 'closed',
    title: texts.refusalTitles[code] ?? texts.refusalTitle,
    sentence: texts.refusals[code],
    action: isLasting(code) ? null : { href: visit.href, label: texts.retry },
    recordings,
  });
  return sendPage(reply, 403, html, visit.allowed);
}

/** Nobody was let in: what can be mended is shown at its field, the rest above the form, which keeps what was typed. */
function sendFailedEntry(
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  failure: Failure,
  typed: { name: string; accessCode: string },
): FastifyReply {
  const { texts } = visit.chrome;
  const { status, code, retryAfter } = describeFailure(failure);
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  if (isEntryRefusal(code)) {
    const sentence = texts.refusals[code];
    if (isAboutCode(code))
      return sendDoor(reply, status, { ...visit, needsCode: true }, { ...typed, codeError: sentence });
    if (isLasting(code)) return sendRefusal(reply, visit, code);
    return sendDoor(reply, status, visit, { ...typed, alert: sentence });
  }
  if (code === 'too-many-requests') return sendDoor(reply, status, visit, { ...typed, alert: texts.tooManyRequests });
  if (status !== 503) throw failure;
  request.log.error({ err: failure }, 'nobody can enter');
  return sendDoor(reply, status, visit, { ...typed, alert: texts.providerUnavailable });
}

function sendForeign(reply: FastifyReply, visit: Visit): FastifyReply {
  const { texts } = visit.chrome;
  const action = { href: visit.href, label: texts.openTheRoom };
  const html = refusalPage(visit.chrome, visit.room, {
    state: null,
    title: texts.foreignOriginTitle,
    sentence: texts.foreignOrigin,
    action,
  });
  return sendPage(reply, 403, html, visit.allowed);
}

/** Pages are for people: they fail as pages, too. */
function answerFailure(
  dependencies: Dependencies,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { status, retryAfter } = describeFailure(error);
  if (status >= 500) request.log.error({ err: error }, 'room page failed');
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  const chrome = chromeFor(dependencies, request);
  const { texts } = chrome;
  const words =
    status === 404
      ? { title: texts.notFoundTitle, sentence: texts.notFound }
      : status >= 500
        ? { title: texts.brokenTitle, sentence: texts.broken, small: fill(texts.requestId, { id: request.id }) }
        : status === 429
          ? { title: texts.tooManyRequestsTitle, sentence: texts.tooManyRequests }
          : { title: texts.badRequestTitle, sentence: texts.badRequest };
  return sendPage(reply, status, refusalPage(chrome, null, { ...words, state: null, action: null }));
}
