import type { CircuitBreaker } from '../circuit-breaker.ts';
import type {
  Attendee,
  Capabilities,
  MeetingPlan,
  MeetingProvider,
  MeetingState,
  OpenMeeting,
  ProviderCheck,
} from '../meeting-provider.ts';
import { isOutage, ProviderFailure } from '../provider-failure.ts';
import { element, type Element, elements, isTrue, malformed, number, readAnswer, text } from './answer.ts';
import { createParameters } from './create-parameters.ts';
import { type Parameters, signedUrl, type Signer } from './signed-url.ts';
import type { Transport } from './transport.ts';

export interface AdapterParts {
  readonly providerId: string;
  readonly type: string;
  readonly signer: Signer;
  readonly transport: Transport;
  readonly breaker: CircuitBreaker;
  readonly capabilities: Capabilities;
}

export const bigbluebuttonCapabilities: Capabilities = {
  hooks: true,
  sendChatMessage: true,
  textTracks: true,
  redirectFalse: true,
  recordingPagination: true,
  sha384: true,
  adminApi: false,
};

/** A BigBlueButton server, or what speaks its API. */
export function createBigBlueButton(parts: AdapterParts): MeetingProvider {
  const { providerId, signer } = parts;
  return {
    type: parts.type,
    capabilities: parts.capabilities,
    open: (plan) => openMeeting(parts, plan),
    entryFor(meeting, participant) {
      return signedUrl(signer, 'join', {
        fullName: participant.fullName,
        meetingID: meeting.meetingId,
        userID: participant.userId,
        role: participant.role === 'moderator' ? 'MODERATOR' : 'VIEWER',
        createTime: String(meeting.createdAtMs),
        ...(participant.role === 'guest' ? { guest: 'true' } : {}),
      });
    },
    async state(meetingId) {
      try {
        return readMeeting(await ask(parts, 'getMeetingInfo', { meetingID: meetingId }), meetingId);
      } catch (error) {
        if (isUnknownMeeting(error)) return absent(meetingId);
        throw error;
      }
    },
    async states() {
      const answer = await ask(parts, 'getMeetings', {});
      const meetings = element(answer, 'meetings');
      return meetings
        ? elements(meetings, 'meeting').map((meeting) => readMeeting(meeting, text(meeting, 'meetingID') ?? ''))
        : [];
    },
    async end(meetingId) {
      try {
        await ask(parts, 'end', { meetingID: meetingId });
      } catch (error) {
        if (!isUnknownMeeting(error)) throw error;
      }
    },
    check: () => check(parts, providerId),
  };
}

/** Asks, and asks once more when nobody answered: the call changes nothing, or nothing twice. */
async function ask(parts: AdapterParts, call: string, parameters: Parameters): Promise<Element> {
  const attempt = async () =>
    readAnswer(parts.providerId, await parts.transport.get(signedUrl(parts.signer, call, parameters)));
  return await parts.breaker.run(async () => {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof ProviderFailure && error.kind === 'unreachable') return await attempt();
      throw error;
    }
  });
}

async function openMeeting(parts: AdapterParts, plan: MeetingPlan): Promise<OpenMeeting> {
  try {
    const answer = await ask(parts, 'create', createParameters(plan));
    const internalId = text(answer, 'internalMeetingID');
    const createdAtMs = number(answer, 'createTime');
    if (internalId === null || createdAtMs === 0) throw malformed(parts.providerId);
    return { meetingId: plan.meetingId, internalId, createdAtMs };
  } catch (error) {
    if (error instanceof ProviderFailure && error.messageKey === 'idNotUnique') return await adopt(parts, plan, error);
    throw error;
  }
}

/** The server has a meeting of this id that was opened with other passwords: ours only if it says so. */
async function adopt(parts: AdapterParts, plan: MeetingPlan, refusal: ProviderFailure): Promise<OpenMeeting> {
  const state = readMeeting(await ask(parts, 'getMeetingInfo', { meetingID: plan.meetingId }), plan.meetingId);
  const mark = Object.entries(plan.metadata)[0];
  const isOurs = mark !== undefined && state.metadata[mark[0].toLowerCase()] === mark[1];
  if (!isOurs || state.internalId === null || state.createdAtMs === null) throw refusal;
  return { meetingId: plan.meetingId, internalId: state.internalId, createdAtMs: state.createdAtMs };
}

function isUnknownMeeting(error: unknown): boolean {
  return error instanceof ProviderFailure && error.messageKey === 'notFound';
}

function readMeeting(meeting: Element, meetingId: string): MeetingState {
  const attendees = element(meeting, 'attendees');
  const metadata = element(meeting, 'metadata') ?? {};
  const hasEnded = isTrue(meeting, 'hasBeenForciblyEnded') || number(meeting, 'endTime') > 0;
  return {
    meetingId,
    exists: !hasEnded,
    running: !hasEnded && isTrue(meeting, 'running'),
    internalId: text(meeting, 'internalMeetingID'),
    createdAtMs: number(meeting, 'createTime') || null,
    startedAtMs: number(meeting, 'startTime') || null,
    participantCount: number(meeting, 'participantCount'),
    moderatorCount: number(meeting, 'moderatorCount'),
    listenerCount: number(meeting, 'listenerCount'),
    voiceParticipantCount: number(meeting, 'voiceParticipantCount'),
    videoCount: number(meeting, 'videoCount'),
    recording: isTrue(meeting, 'recording'),
    attendees: attendees ? elements(attendees, 'attendee').map(readAttendee) : [],
    metadata: Object.fromEntries(
      Object.entries(metadata).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ),
  };
}

function readAttendee(attendee: Element): Attendee {
  return {
    userId: text(attendee, 'userID') ?? '',
    fullName: text(attendee, 'fullName') ?? '',
    isModerator: text(attendee, 'role')?.toUpperCase() === 'MODERATOR',
  };
}

function absent(meetingId: string): MeetingState {
  return {
    meetingId,
    exists: false,
    running: false,
    internalId: null,
    createdAtMs: null,
    startedAtMs: null,
    participantCount: 0,
    moderatorCount: 0,
    listenerCount: 0,
    voiceParticipantCount: 0,
    videoCount: 0,
    recording: false,
    attendees: [],
    metadata: {},
  };
}

/** First the root, which needs no secret, then a call that does; the circuit is passed by, since somebody asks on purpose. */
async function check({ signer, transport }: AdapterParts, providerId: string): Promise<ProviderCheck> {
  const started = performance.now();
  const finding = { reachable: false, apiVersion: null, secretAccepted: null, latencyMs: null, problem: null };
  try {
    const root = readAnswer(providerId, await transport.get(signer.apiUrl));
    const found = {
      ...finding,
      reachable: true,
      apiVersion: text(root, 'apiVersion') ?? text(root, 'version'),
      latencyMs: Math.round(performance.now() - started),
    };
    return { ...found, ...(await checkSecret(signer, transport, providerId)) };
  } catch (error) {
    return { ...finding, reachable: !isOutage(error), problem: error instanceof Error ? error.message : String(error) };
  }
}

async function checkSecret(
  signer: Signer,
  transport: Transport,
  providerId: string,
): Promise<Pick<ProviderCheck, 'secretAccepted' | 'problem'>> {
  try {
    const probe = { meetingID: 'foyer-check' };
    readAnswer(providerId, await transport.get(signedUrl(signer, 'isMeetingRunning', probe)));
    return { secretAccepted: true, problem: null };
  } catch (error) {
    const isRefused = error instanceof ProviderFailure && error.kind === 'checksum';
    return {
      secretAccepted: isRefused ? false : null,
      problem: error instanceof Error ? error.message : String(error),
    };
  }
}
