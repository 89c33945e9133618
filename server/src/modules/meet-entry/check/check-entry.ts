import { audienceTags } from '@foyer/contract/resources/packages/features.ts';
import { limitOf } from '@foyer/contract/resources/packages/feature-value.ts';
import type { EntryRefusal } from '@foyer/contract/resources/rooms/room-entry.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { Failure } from '../../../platform/failures.ts';
import { calendarDate, printCalendarDate } from '../../../platform/time/calendar-date.ts';
import { printIdentifier, type Uuid } from '../../../platform/identity/identifier.ts';
import { instantOrNull } from '../../../platform/row-members.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { areMinutesUsedUp, countOccupancy, currentMeeting } from '../../meetings/index.ts';
import { recordingLimitReached } from '../../recordings/index.ts';
import { meetingProvider, type ProviderCandidate } from '../../service-providers/index.ts';
import {
  checkCredential,
  type EntryLimit,
  limit,
  loadAccess,
  type LoadedAccess,
  evaluateCredential,
  mayStart,
  type PresentedCredential,
  refusalSentences,
  refusalTexts,
  withTokenTime,
} from '../../room-access/index.ts';
import { factsOf, type Findings, type Occupancy } from './entry-facts.ts';
import { type CheckCaller, createNaming, type Naming } from './facts.ts';
import { minutesOf } from './facts-store.ts';
import { findOverlong } from './overlong-texts.ts';
import { runningMeeting } from '../open-meeting.ts';
import { findPassedOver } from './provider-facts.ts';

type Code = EntryRefusal | 'provider-unavailable';

const sentences: Record<Code, string> = {
  ...refusalSentences,
  'provider-unavailable': refusalTexts.providerUnavailable,
};

/**
 * Returns all reasons why this join would be rejected now, with their facts, and what the join would use up. Changes
 * nothing and reserves no slot. For callers who may not read tokens and codes, a wrong token or code counts as a failed
 * attempt.
 * @throws 404, and 429 after too many wrong guesses
 */
export async function checkEntry(
  dependencies: Dependencies,
  { address, ...caller }: CheckCaller & { readonly address: string | null },
  roomId: Uuid,
  presented: PresentedCredential,
): Promise<Record<string, unknown>> {
  const { db, clock, settings } = dependencies;
  const [now, today] = [clock.now(), clock.today(settings().system_timezone)];
  const loaded = await loadAccess(db, roomId, today, now);
  const target = { roomId, rules: loaded.rules };
  const checked =
    caller.mayReadTokens && caller.mayReadCodes
      ? await evaluateCredential(dependencies, target, presented)
      : await checkCredential(dependencies, { ...target, address }, presented);
  const { role } = checked;
  const codes = new Set<Code>(checked.refusals);
  const current = await currentMeeting(db, roomId);
  const isMeetingRunning = await askIsRunning(dependencies, roomId, loaded);
  if (isMeetingRunning === 'unknown') codes.add('provider-unavailable');
  if (isMeetingRunning === false && role !== null && !mayStart(loaded.rules, role)) codes.add('waiting-for-moderator');
  const overlong = isMeetingRunning === true ? [] : findOverlong(dependencies, loaded);
  if (overlong.length > 0 && overlong.length === loaded.providers.length) codes.add('meeting-not-accepted');
  const { occupancy, minutesUsedUp } = await db.transaction().execute(async (tx) => ({
    occupancy: await countOccupancy(tx, loaded.room.subscription_id, roomId, now),
    minutesUsedUp: await areMinutesUsedUp(tx, loaded.room.subscription_id, { now, today }),
  }));
  if (minutesUsedUp) codes.add('participant-minutes-used-up');
  for (const code of reachedLimitsOf(loaded, occupancy, current?.state === 'open' || occupancy.inRoom > 0))
    codes.add(code);
  const findings: Findings = {
    loaded,
    presented,
    checked,
    occupancy,
    meetingProviderId: current?.state === 'open' ? current.service_provider_id : null,
    overlong,
    today,
  };
  const naming = createNaming(caller, loaded.room.customer_id);
  // A meeting whose server does not respond may still be running.
  const hasMeeting =
    isMeetingRunning === true || (isMeetingRunning === 'unknown' && findings.meetingProviderId !== null);
  const reasons = await Promise.all(
    [...codes].map(async (code) => ({
      code,
      message: withTokenTime(sentences[code], code, { token: checked.token, timeZone: loaded.timeZone }),
      facts: await factsOf(dependencies, code, findings, naming),
    })),
  );
  const isSold = loaded.features.get('recording') === 'true';
  const notRecordedBy = isSold ? await recordingLimitReached(db, roomId, clock.now()) : 'recording';
  return {
    object: 'RoomEntryCheck',
    room_id: printIdentifier('room', roomId),
    allowed: reasons.length === 0,
    role,
    reasons,
    would_use: {
      token_id: checked.token && printIdentifier('rtok', checked.token.id),
      access_code_id: checked.codeId && printIdentifier('rcode', checked.codeId),
      meeting_id: current && hasMeeting ? printIdentifier('meet', current.id) : null,
      starts_meeting: isMeetingRunning === false,
      may_be_recorded: notRecordedBy === null,
      not_recorded_by: notRecordedBy,
      providers: providersOf(loaded, findings.meetingProviderId, naming),
      passed_over: findings.meetingProviderId === null ? await listPassedOver(db, loaded, naming) : [],
      limits: await limitsOf(dependencies, findings),
    },
  };
}

/** Whether the room's meeting is running; `unknown` if its provider does not respond. */
async function askIsRunning(
  dependencies: Dependencies,
  roomId: Uuid,
  { meeting, providers }: LoadedAccess,
): Promise<boolean | 'unknown'> {
  try {
    if (await runningMeeting(dependencies, meeting)) return true;
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'provider-unavailable') throw error;
    return 'unknown';
  }
  const candidates = providers.filter(({ obstacle }) => obstacle === null);
  if (candidates.length === 0) return false;
  for (const provider of candidates.slice(0, maxQueriedProviders)) {
    if (await respondsTo(dependencies, provider, roomId)) return false;
  }
  // Providers that were not queried may still respond, unless they are known to be down.
  return candidates.slice(maxQueriedProviders).every(({ state }) => state === 'down') ? 'unknown' : false;
}

/** Only the first providers that a join would try are queried, since each can take as long as its time-out. */
const maxQueriedProviders = 2;

async function respondsTo(dependencies: Dependencies, provider: ProviderCandidate, roomId: Uuid): Promise<boolean> {
  try {
    await (await meetingProvider(dependencies, provider)).isRunning(roomId);
    return true;
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    return false;
  }
}

function reachedLimitsOf(
  { room, features, rules }: LoadedAccess,
  occupancy: Occupancy,
  isOpen: boolean,
): EntryRefusal[] {
  const counts: [EntryLimit, number, EntryRefusal][] = [
    ['max_concurrent_meetings', isOpen ? -1 : occupancy.otherMeetings, 'concurrent-meetings-reached'],
    ['max_concurrent_participants', occupancy.inSubscription, 'concurrent-participants-reached'],
    [audienceTags(room.room_type).atOnce, occupancy.inRoom, 'room-full'],
  ];
  // A limit of 0 is a separate refusal, since waiting does not help.
  return counts
    .filter(([tag, count]) => !rules.zeroLimits.includes(tag) && count >= (limit(features, tag) ?? Infinity))
    .map(([, , code]) => code);
}

/** The provider that hosts the meeting, or those on which one would be opened. */
function providersOf(
  { providers, unfitProviders }: LoadedAccess,
  meetingProviderId: Uuid | null,
  naming: Naming,
): Record<string, unknown>[] {
  const host = [...providers, ...unfitProviders].filter(({ id }) => id === meetingProviderId);
  return (meetingProviderId === null ? providers : host).map((provider) => {
    const { id, name } = naming.provider(provider, provider.state);
    return {
      id,
      name,
      type: provider.provider_type,
      state: provider.state,
      since: instantOrNull(provider.since),
    };
  });
}

/** The providers on which no new meeting would be opened, with the reasons. */
async function listPassedOver(
  db: Dependencies['db'],
  loaded: LoadedAccess,
  naming: Naming,
): Promise<Record<string, unknown>[]> {
  const passedOver = await findPassedOver(db, loaded, naming);
  return passedOver.map(({ provider_type: type, reason, fact: { message, since, subject } }) => ({
    id: subject?.id ?? null,
    name: subject?.name ?? null,
    type,
    reason,
    message,
    since,
  }));
}

async function limitsOf({ db }: Dependencies, { loaded, occupancy, today }: Findings) {
  const { features, subscription } = loaded;
  const tags = audienceTags(loaded.room.room_type);
  const [minutes] = await minutesOf(db, [subscription.id], today);
  const until = minutes?.valid_until ?? null;
  const figures: [string, number | null][] = [
    [tags.atOnce, occupancy.inRoom],
    ['max_concurrent_participants', occupancy.inSubscription],
    ['max_concurrent_meetings', occupancy.otherMeetings],
    ['max_duration', null],
  ];
  return [
    ...figures.map(([feature, used]) => ({ feature, limit: limit(features, feature), used, until: null })),
    {
      feature: tags.minutes,
      limit: minutes === undefined ? null : limitOf(minutes.value),
      used: minutes?.used ?? null,
      until: until === null || until <= today ? null : printCalendarDate(calendarDate(until)),
    },
  ];
}
