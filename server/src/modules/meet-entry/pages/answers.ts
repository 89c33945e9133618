import { type EntryRefusal, entryRefusals } from '@foyer/contract/resources/rooms/room-entry.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../../dependencies.ts';
import type { Failure } from '../../../platform/failures.ts';
import { describeFailure } from '../../../platform/http/failures/respond-to-failure.ts';
import type { WatchableRecording } from '../../recordings/index.ts';
import { type JoinForm, joinPage, refusalPage } from './join-page.tsx';
import { cleanName } from '../clean-name.ts';
import { emptySignIn, type Person } from './person.tsx';
import { formFailure } from '../../../platform/page/page-form.ts';
import { sendPage } from './response.ts';
import { fill } from '../../../platform/text/catalogues.ts';
import { withTokenTime } from '../../room-access/index.ts';
import { chromeFor, isAboutCode, type Visit } from './visit.ts';

export function sendJoinPage(
  reply: FastifyReply,
  visit: Visit,
  { status, ...input }: Pick<JoinForm, 'name'> & Partial<JoinForm> & { readonly status: number },
  recordings: readonly WatchableRecording[] = [],
): FastifyReply {
  const form: JoinForm = {
    action: visit.href,
    role: visit.role ?? 'guest',
    mayStart: visit.mayStart,
    needsCode: visit.needsCode,
    accessCode: '',
    nameError: null,
    codeError: null,
    alert: null,
    isMember: visit.memberRole !== null,
    ...input,
  };
  const html = joinPage(visit.chrome, visit.room, form, {
    state: visit.isRunning || (visit.isWatched && visit.mayStart) ? 'open' : 'notStarted',
    recordings,
    person: personOf(visit),
    uploadsHref: visit.uploadsHref,
  });
  return sendPage(reply, status, html, visit.pagePolicy);
}

export function sendRefusal(
  reply: FastifyReply,
  visit: Visit,
  code: EntryRefusal,
  recordings: readonly WatchableRecording[] = [],
): FastifyReply {
  const { texts } = visit.chrome;
  const isForAnotherUser = code === 'token-of-another-user' && visit.user !== null;
  const html = refusalPage(visit.chrome, visit.room, {
    // No state is shown: the room is public and open, but rejects guests.
    state: code === 'guest-access-off' ? null : isAboutInvitation(code) ? 'invited' : 'closed',
    title: texts.refusalTitles[code] ?? texts.refusalTitle,
    sentence: isForAnotherUser
      ? texts.signIn.otherPerson
      : withTokenTime(texts.refusals[code], code, visit.tokenTimes, texts),
    action: isPermanentRefusal(code) ? null : { href: visit.href, label: texts.retry },
    recordings,
    person: isAboutInvitation(code) ? personOf(visit) : null,
    uploadsHref: isAboutInvitation(code) ? visit.uploadsHref : null,
    signIn:
      code === 'token-of-another-user' && visit.user === null
        ? { ...emptySignIn, action: visit.signInHref, passwordHelp: visit.passwordHelp }
        : null,
  });
  return sendPage(reply, 403, html, visit.pagePolicy);
}

/** Shows why the join failed: errors of a field next to it, other reasons above the form. The form keeps its values. */
export function sendFailedEntry(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  visit: Visit,
  failure: Failure,
  typed: { name: string; accessCode: string },
): FastifyReply {
  const { texts } = visit.chrome;
  const { status, code } = formFailure(reply, failure);
  if (isEntryRefusal(code)) {
    const sentence = texts.refusals[code];
    if (isAboutCode(code))
      return sendJoinPage(reply, { ...visit, needsCode: true }, { status, ...typed, codeError: sentence });
    if (isPermanentRefusal(code)) return sendRefusal(reply, visit, code);
    return sendJoinPage(reply, visit, { status, ...typed, alert: sentence });
  }
  if (code === 'too-many-requests')
    return sendJoinPage(reply, visit, { status, ...typed, alert: texts.tooManyRequests });
  if (status !== 503) throw failure;
  request.log.error({ err: failure }, 'join failed: provider unavailable');
  return sendJoinPage(reply, visit, { status, ...typed, alert: texts.providerUnavailable });
}

export function sendCrossSite(reply: FastifyReply, visit: Visit): FastifyReply {
  const { texts } = visit.chrome;
  const action = { href: visit.href, label: texts.openTheRoom };
  const html = refusalPage(visit.chrome, visit.room, {
    state: null,
    title: texts.foreignOriginTitle,
    sentence: texts.foreignOrigin,
    action,
  });
  return sendPage(reply, 403, html, visit.pagePolicy);
}

/** Answers errors with a page instead of JSON, since people see them in a browser. */
export function answerFailure(
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

/** The signed-in user, or a link to sign in. Participants with a personal link need no sign-in link. */
function personOf({
  user,
  href,
  hrefWithoutToken,
  signInHref,
  signOutHref,
  tokenUserId,
  refusal,
}: Visit): Person | null {
  if (user !== null) return { name: cleanName(user.fullName), signOutHref };
  return (href === hrefWithoutToken || refusal !== null) && tokenUserId === null ? { signInHref } : null;
}

function isEntryRefusal(code: string): code is EntryRefusal {
  return (entryRefusals as readonly string[]).includes(code);
}

/** Whether trying again soon has the same result. */
function isPermanentRefusal(code: EntryRefusal): boolean {
  return !temporaryRefusals.has(code);
}

/** Whether the refusal is about the visitor's invitation: others may be able to join. */
export function isAboutInvitation(code: EntryRefusal): boolean {
  return code === 'guest-access-off' || code.startsWith('token-');
}

const temporaryRefusals: ReadonlySet<EntryRefusal> = new Set<EntryRefusal>([
  'token-not-yet-valid',
  'room-inactive',
  'customer-not-usable',
  'account-not-usable',
  'no-usable-provider',
  'meeting-not-accepted',
  'concurrent-meetings-reached',
  'concurrent-participants-reached',
  'room-full',
]);
