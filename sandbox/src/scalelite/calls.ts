import { randomInt } from 'node:crypto';
import type { ApiCall, CallHandler } from '../api/request/call.ts';
import { type CallDeclaration, calls } from '../api/calls.ts';
import { create } from '../api/create.ts';
import { insertDocument } from '../api/joining/insert-document-and-chat.ts';
import { end, getMeetingInfo, getMeetings, isMeetingRunning } from '../api/meetings.ts';
import { readMeetingId, readText, readWholeNumber } from '../api/request/parameters.ts';
import { refusal } from '../api/request/refusals.ts';
import { success } from '../api/request/xml.ts';
import { type Answer, redirect } from '../http/answer.ts';
import type { Meeting } from '../world/meeting.ts';
import { findMeeting } from '../world/world.ts';
import { checksumOf } from '../api/request/checksum.ts';
import { type Balancer, serverPrefix } from './balancer.ts';
import { deleteRecordings, getRecordings, publishRecordings, updateRecordings } from './recordings.ts';

/** The calls of a Scalelite: fewer than those of the servers behind it, and some with different responses. */
export function scaleliteCalls(balancer: Balancer): ReadonlyMap<string, CallDeclaration> {
  const handlers = new Map<string, CallHandler>([
    ['create', (call) => createOnServer(balancer, call)],
    ['join', (call) => redirectToServer(balancer, call)],
    ['isMeetingRunning', (call) => (hasMeeting(call) ? isMeetingRunning(call) : success({ running: false }))],
    ['getMeetingInfo', (call) => getMeetingInfo(requireMeeting(call))],
    ['getMeetings', (call) => (balancer.getMeetingsDisabled ? answerNoMeetings() : getMeetings(call))],
    ['end', (call) => end(requireMeeting(call))],
    ['insertDocument', (call) => insertDocument(requireMeeting(call))],
    ['getRecordings', (call) => getRecordings(balancer, call)],
    ['publishRecordings', (call) => publishRecordings(balancer, call)],
    ['updateRecordings', (call) => updateRecordings(balancer, call)],
    ['deleteRecordings', (call) => deleteRecordings(balancer, call)],
  ]);
  return new Map(
    [...calls].flatMap(([name, declaration]) => {
      const handler = handlers.get(name);
      return handler ? [[name, { ...declaration, ...acceptedRequests(declaration), handler }]] : [];
    }),
  );
}

/** No forms: the balancer forwards a body to its server as XML. */
function acceptedRequests({ methods, bodies }: CallDeclaration): Pick<CallDeclaration, 'methods' | 'bodies'> {
  const xmlBodies = bodies.filter((type) => type.endsWith('/xml'));
  return { methods: xmlBodies.length > 0 ? methods : ['GET'], bodies: xmlBodies };
}

function createOnServer(balancer: Balancer, call: ApiCall): Answer {
  const { world } = call;
  const id = readMeetingId(call.parameters);
  const existing = findMeeting(world, id);
  const isNew = !existing;
  if (!balancer.isServerOnline || (isNew && balancer.serverState !== 'enabled')) throw refusal('noServer');
  requireTag(balancer, readText(call.parameters, 'meta_server-tag'));
  const answer = create({ ...call, parameters: adjustParameters(balancer, call, isNew) });
  const meeting = findMeeting(world, id);
  if (isNew && meeting) hideCallbackUrls(meeting, call.origin);
  return answer;
}

/** `tag!` is required, `tag` is preferred. One matching tag is enough. */
function requireTag({ serverTags }: Balancer, requestedTag: string | undefined): void {
  if (requestedTag === undefined) return;
  const isRequired = requestedTag.endsWith('!');
  const tags = requestedTag.replace(/!$/, '').split(';');
  if (isRequired && !tags.some((tag) => serverTags.includes(tag))) throw refusal('noTaggedServer');
}

function adjustParameters({ maxMeetingMinutes }: Balancer, { world, parameters }: ApiCall, isNew: boolean) {
  const changed = new Map(parameters);
  const minutes = readWholeNumber(parameters, 'duration', 'Duration must be an integral number') ?? 0;
  if (maxMeetingMinutes > 0 && (minutes === 0 || minutes > maxMeetingMinutes)) {
    changed.set('duration', String(maxMeetingMinutes));
  }
  if (isNew && readText(parameters, 'voiceBridge') === undefined) {
    let bridge = randomVoiceBridge();
    while (world.meetings.isVoiceBridgeTaken(bridge)) bridge = randomVoiceBridge();
    changed.set('voiceBridge', bridge);
  }
  return changed;
}

function randomVoiceBridge(): string {
  return String(randomInt(100_000_000, 1_000_000_000));
}

/** Scalelite calls these addresses itself, and gives the servers its own address for attendance. */
function hideCallbackUrls({ metadata }: Meeting, origin: string): void {
  for (const key of ['bbb-recording-ready-url', 'bn-recording-ready-url', 'canvas-recording-ready-url']) {
    metadata.delete(key);
  }
  if (metadata.has('analytics-callback-url')) {
    metadata.set('analytics-callback-url', `${origin}/bigbluebutton/api/analytics_callback`);
  }
}

/** Redirects to the join of the server, which validates the other parameters. Ignores `redirect`. */
function redirectToServer(balancer: Balancer, call: ApiCall): Answer {
  const { parameters, origin } = requireMeeting(call);
  if (!balancer.isServerOnline || balancer.serverState === 'disabled') throw refusal('serverDisabled');
  const { checksum: _, ...passedParameters } = Object.fromEntries(parameters);
  const query = new URLSearchParams(passedParameters).toString();
  const checksum = checksumOf('sha256', 'join', query, balancer.serverSecret);
  return redirect(302, `${origin}${serverPrefix}/join?${query}&checksum=${checksum}`);
}

/** A Scalelite only knows the external ids of meetings. */
function hasMeeting(call: ApiCall): boolean {
  const id = readMeetingId(call.parameters);
  const meeting = findMeeting(call.world, id);
  return meeting?.externalId === id;
}

function requireMeeting(call: ApiCall): ApiCall {
  if (!hasMeeting(call)) throw refusal('scaleliteMeetingUnknown');
  return call;
}

function answerNoMeetings(): Answer {
  return success({ messageKey: 'noMeetings', message: 'no meetings were found on this server', meetings: '' });
}
