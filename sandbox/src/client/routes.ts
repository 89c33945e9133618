import { type Answer, json, plainText, redirect } from '../http/answer.ts';
import { mediaType, readBody, readForm } from '../http/body.ts';
import { type SandboxRequest, decodeQuery } from '../http/request.ts';
import { enterMeeting, leaveMeeting, setRecording } from '../world/attendance.ts';
import { endMeeting } from '../world/ending.ts';
import { isModerator } from '../world/meeting.ts';
import { canStartRecording } from '../world/recording.ts';
import type { Session } from '../world/meeting-table.ts';
import type { World } from '../world/world.ts';
import { answerPlayback } from './playback.ts';
import { leftPage, sessionPage, unknownSessionPage, welcomePage } from './pages.ts';
import { clientIcon } from './icon.ts';
import { clientScript } from './script.ts';
import { clientStyle } from './style.ts';
import { viewFor } from './view.ts';

/** Routes of the pages for browsers. */
export async function answerPage(world: World, request: SandboxRequest): Promise<Answer> {
  const { method, path } = request;
  if (method === 'POST') return answerForm(world, request);
  if (method !== 'GET' && method !== 'HEAD') return plainText(405, 'Method not allowed.');
  const asset = assets.get(path);
  if (asset) return asset;
  const query = decodeQuery(request.query);
  if (path === '/') return redirect(302, '/bigbluebutton/');
  if (path === '/bigbluebutton') return welcomePage(readErrors(query.get('errors')));
  const playback = answerPlayback(world, path);
  if (playback) return playback;
  const page = sessionPages.get(path);
  if (!page) return plainText(404, 'Not found.');
  const session = world.meetings.findSession(query.get('sessionToken') ?? '');
  return session ? page(session, query) : unknownSessionPage();
}

type SessionPage = (session: Session, query: ReadonlyMap<string, string>) => Answer;

const sessionPages = new Map<string, SessionPage>([
  ['/html5client/join', sessionPage],
  ['/html5client/guestWait', sessionPage],
  ['/html5client/left', leftPage],
  ['/html5client/state', showState],
]);

type FormAction = (world: World, session: Session, form: ReadonlyMap<string, string>) => string;

/** Each action returns the next page. */
const formActions = new Map<string, FormAction>([
  ['/html5client/enter', enter],
  ['/html5client/leave', leave],
  ['/html5client/answer', answerGuest],
  ['/html5client/record', toggleRecording],
  ['/html5client/end', end],
]);

const assets = new Map<string, Answer>([
  ['/html5client/client.css', asset('text/css; charset=utf-8', clientStyle)],
  ['/html5client/client.js', asset('text/javascript; charset=utf-8', clientScript)],
  ['/html5client/icon.svg', asset('image/svg+xml', clientIcon)],
]);

function asset(type: string, body: string): Answer {
  const headers = {
    'content-type': type,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  };
  return { status: 200, headers, body };
}

/** Responds to the script with the new state, and to a form with the next page. */
async function answerForm(world: World, request: SandboxRequest): Promise<Answer> {
  const { message, path } = request;
  const action = formActions.get(path);
  if (!action) return plainText(404, 'Not found.');
  if (mediaType(message.headers) !== 'application/x-www-form-urlencoded') {
    return plainText(415, 'Send a form.');
  }
  const form = readForm(await readBody(message));
  const session = world.meetings.findSession(form.get('sessionToken') ?? '');
  if (!session) return unknownSessionPage();
  const next = action(world, session, form);
  if (message.headers.accept === 'application/json') return json(200, viewFor(session));
  return redirect(303, `/html5client/${next}?sessionToken=${session.user.sessionToken}`);
}

/** Returns the state, and notes that the page is still open. */
function showState(session: Session, query: ReadonlyMap<string, string>): Answer {
  const { connections } = session.user;
  const connection = query.get('connection') ?? '';
  if (connections.has(connection)) connections.set(connection, performance.now());
  return json(200, viewFor(session));
}

function enter(world: World, { meeting, user }: Session, form: ReadonlyMap<string, string>): string {
  const name = form.get('connection');
  const connection =
    name === undefined ? { name: 'form', lastRequestMs: null } : { name, lastRequestMs: performance.now() };
  enterMeeting(meeting, user, world.clock.now(), connection);
  return 'join';
}

function leave(world: World, { meeting, user }: Session, form: ReadonlyMap<string, string>): string {
  leaveMeeting(meeting, user, world.clock.now(), form.get('connection'));
  return 'left';
}

function answerGuest(_world: World, session: Session, form: ReadonlyMap<string, string>): string {
  const guest = session.meeting.users.get(form.get('userID') ?? '');
  if (canModerate(session) && guest?.guestStatus === 'WAIT') {
    guest.guestStatus = form.get('answer') === 'admit' ? 'ALLOW' : 'DENY';
  }
  return 'join';
}

function toggleRecording(world: World, session: Session): string {
  const { meeting } = session;
  const { allowStartStopRecording } = meeting.settings;
  if (canModerate(session) && allowStartStopRecording && canStartRecording(meeting)) {
    setRecording(meeting, !meeting.isRecording, world.clock.now());
  }
  return 'join';
}

function end(world: World, session: Session): string {
  if (canModerate(session)) endMeeting(world, session.meeting, world.clock.now(), 'moderator');
  return 'join';
}

function canModerate({ user }: Session): boolean {
  return isModerator(user) && user.presence === 'joined';
}

/** The errors of a refused join; other values are ignored. */
function readErrors(text = '[]'): { key: string; message: string }[] {
  let errors: unknown;
  try {
    errors = JSON.parse(text);
  } catch {
    return [];
  }
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((error: unknown) => {
    if (typeof error !== 'object' || error === null) return [];
    if (!('key' in error) || !('message' in error)) return [];
    return [{ key: String(error.key), message: String(error.message) }];
  });
}
