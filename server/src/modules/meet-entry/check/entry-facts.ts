import { audienceTags, findFeature } from '@foyer/contract/resources/packages/features.ts';
import { limitOf } from '@foyer/contract/resources/packages/feature-value.ts';
import type { EntryRefusal } from '@foyer/contract/resources/rooms/room-entry.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { type CalendarDate, calendarDate, printCalendarDate } from '../../../platform/time/calendar-date.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { hashToken } from '../../../platform/crypto/opaque-token.ts';
import { customerUse, type CustomerStatus } from '../../customers/index.ts';
import { featuresOfRoom } from '../../rooms/index.ts';
import { isUsable, lastDayOfUse, lifecycleOf, type SubscriptionRow } from '../../subscriptions/index.ts';
import type { countOccupancy } from '../../meetings/index.ts';
import { requireUser } from '../../users/index.ts';
import type { Fact, Naming } from './facts.ts';
import { fact } from './facts.ts';
import { customerWithAncestors, minutesOf, roomOfToken, subscriptionsOf, type UsageFact } from './facts-store.ts';
import { type CheckedCredential, limit, type LoadedAccess, type PresentedCredential } from '../../room-access/index.ts';
import { type Overlong, overlongFacts } from './overlong-texts.ts';
import { providerFacts, unreachableFacts } from './provider-facts.ts';

export type Occupancy = Awaited<ReturnType<typeof countOccupancy>>;

/** The data of an entry check. */
export interface Findings {
  readonly loaded: LoadedAccess;
  readonly presented: PresentedCredential;
  readonly checked: CheckedCredential;
  readonly occupancy: Occupancy;
  /** The provider that hosts the room's meeting; null if none is running. */
  readonly meetingProviderId: Uuid | null;
  /** The providers on which a meeting cannot be opened because the room's texts are too long. */
  readonly overlong: readonly Overlong[];
  readonly today: CalendarDate;
}

/** The facts behind a refusal, for the person who helps the participant. */
export async function factsOf(
  { db }: Dependencies,
  code: EntryRefusal | 'provider-unavailable',
  findings: Findings,
  naming: Naming,
): Promise<Fact[]> {
  const { loaded, presented, checked, occupancy } = findings;
  const { room, features } = loaded;
  switch (code) {
    case 'room-inactive':
      return [fact('The room is switched off.', { subject: naming.room(room) })];
    case 'customer-not-usable':
      return await customerFacts(db, findings, naming);
    case 'account-not-usable':
      return [fact('The account is not active.', { subject: naming.account(room.account_id, loaded.accountStatus) })];
    case 'entry-subscription-not-usable':
      return await subscriptionFacts(db, findings, naming);
    case 'no-usable-provider':
      return await providerFacts(db, loaded, naming);
    case 'meeting-not-accepted':
      return overlongFacts(findings.overlong, naming);
    case 'provider-unavailable':
      return await unreachableFacts(db, loaded, findings.meetingProviderId, naming);
    case 'token-required':
      return [fact('The room is not public, and the visitor has no token.', { subject: naming.room(room) })];
    case 'token-unknown':
      return await unknownTokenFacts(db, presented, naming);
    case 'token-not-yet-valid':
    case 'token-expired':
    case 'token-used-up':
    case 'token-of-another-user':
      return await tokenFacts(db, code, checked, naming);
    case 'guest-access-off':
      return await guestFacts(db, findings, naming);
    case 'access-code-required':
    case 'access-code-wrong':
    case 'access-code-other-role':
      return codeFacts(code, findings, naming);
    case 'participant-minutes-used-up':
      return await minuteFacts(db, findings, naming);
    case 'limit-is-zero':
      return await zeroLimitFacts(db, findings, naming);
    case 'waiting-for-moderator':
      return [
        fact(
          `No meeting is running in the room, and ${checked.role === null ? 'a visitor without a role' : `the role ${checked.role}`} cannot start one, because the setting anyone_can_start is off.`,
          { subject: naming.room(room) },
        ),
      ];
    case 'concurrent-meetings-reached':
      return [
        fact('The subscription has reached its limit of concurrent meetings.', {
          subject: naming.subscription(loaded.subscription),
          feature: 'max_concurrent_meetings',
          limit: limit(features, 'max_concurrent_meetings'),
          used: occupancy.otherMeetings,
        }),
      ];
    case 'concurrent-participants-reached':
      return [
        fact('The subscription has reached its limit of concurrent participants.', {
          subject: naming.subscription(loaded.subscription),
          feature: 'max_concurrent_participants',
          limit: limit(features, 'max_concurrent_participants'),
          used: occupancy.inSubscription,
        }),
      ];
    case 'room-full':
      return [await roomFullFact(db, findings, naming)];
  }
}

type Db = Dependencies['db'];

async function customerFacts(db: Db, { loaded }: Findings, naming: Naming): Promise<Fact[]> {
  const customers = await customerWithAncestors(db, loaded.room.customer_id);
  return customers
    .filter(({ status }) => !customerUse(status as CustomerStatus).canUse)
    .map((customer) => {
      const isOwn = customer.id === loaded.room.customer_id;
      const owner = isOwn ? "The room's customer" : "A reseller above the room's customer";
      return fact(`${owner} is ${customer.status}.`, { subject: naming.customer(customer) });
    });
}

async function subscriptionFacts(db: Db, { loaded, today }: Findings, naming: Naming): Promise<Fact[]> {
  const rows = await subscriptionsOf(db, [...loaded.subscription.ancestors, loaded.subscription.id]);
  return rows
    .filter((row) => !isUsable(lifecycleOf(row), today))
    .map((row) => {
      const owner = row.id === loaded.subscription.id ? "The room's subscription" : "The reseller's subscription";
      const lastDay = lastDayOfUse(lifecycleOf(row));
      const isOver = lastDay < today;
      return fact(
        `${owner} is ${row.status}${isOver ? `, and its last day of use was ${lastDay}` : ''}${cancellationText(row)}.`,
        { subject: naming.subscription(row), since: isOver ? printCalendarDate(lastDay) : null },
      );
    });
}

function cancellationText({ canceled_now: isNow }: SubscriptionRow): string {
  return isNow ? '; it was canceled with immediate effect' : '';
}

/** Says that the token belongs to another room only to callers who may read that room. */
async function unknownTokenFacts(db: Db, { token }: PresentedCredential, naming: Naming): Promise<Fact[]> {
  const room = token === null ? undefined : await roomOfToken(db, hashToken(token), naming.userId);
  if (!room) return [fact('This token does not exist. It is mistyped or incomplete, or it was deleted.')];
  return [fact('The token belongs to another room.', { subject: naming.room(room) })];
}

async function tokenFacts(db: Db, code: EntryRefusal, { token }: CheckedCredential, naming: Naming): Promise<Fact[]> {
  if (!token) return [];
  const subject = naming.token(token);
  switch (code) {
    case 'token-not-yet-valid':
      return [fact('The token is not valid yet.', { subject, until: token.not_before })];
    case 'token-expired':
      return [fact('The token has expired.', { subject, since: token.expires_at })];
    case 'token-used-up':
      return [
        fact('The token was used as often as it allows; each entry counts.', {
          subject,
          limit: token.max_uses,
          used: token.uses,
          since: token.last_usage,
        }),
      ];
    default: {
      const user = token.user_id === null ? null : await requireUser(db, token.user_id);
      return user
        ? [
            fact('The token is personal: its user must sign in at the page of the room or send an access token.', {
              subject: naming.user(user),
            }),
          ]
        : [];
    }
  }
}

async function guestFacts(db: Db, { loaded }: Findings, naming: Naming): Promise<Fact[]> {
  if (loaded.settings['guest_policy'] === 'always_deny')
    return [fact('The setting guest_policy of the room does not admit guests.', { subject: naming.room(loaded.room) })];
  const [feature] = (await featuresOfRoom(db, loaded.room)).filter(({ tag }) => tag === 'guest_access');
  const isOfRoom = feature?.source === 'room';
  return [
    fact(isOfRoom ? 'guest_access is switched off in the room.' : 'The subscription does not have guest_access.', {
      subject: isOfRoom ? naming.room(loaded.room) : naming.subscription(loaded.subscription),
      feature: 'guest_access',
    }),
  ];
}

/** Facts about access codes are only for callers who may read the codes. */
function codeFacts(code: EntryRefusal, { loaded, presented, checked }: Findings, naming: Naming): Fact[] {
  const { codes } = loaded.rules;
  const ofRole = codes.filter(({ role }) => role === checked.role);
  const expired = ofRole.filter((accessCode) => accessCode.isExpired).length;
  const count = `The role ${checked.role ?? ''} is protected by ${ofRole.length} access ${ofRole.length === 1 ? 'code' : 'codes'} (${expired} expired).`;
  if (!naming.mayReadCodes) return [];
  if (code === 'access-code-required') return [fact(count)];
  const match = codes.find((accessCode) => accessCode.code.toLowerCase() === presented.accessCode?.toLowerCase());
  if (!match) return [fact('The room does not have this access code.'), ...(ofRole.length > 0 ? [fact(count)] : [])];
  const subject = naming.code(match);
  if (code === 'access-code-wrong') return [fact('The access code has expired.', { subject, since: match.expiresAt })];
  return [fact(`The access code is for the role ${match.role}.`, { subject })];
}

async function minuteFacts(db: Db, { loaded, today }: Findings, naming: Naming): Promise<Fact[]> {
  const { id, ancestors } = loaded.subscription;
  const usages = await minutesOf(db, [...ancestors, id], today);
  const limited = usages.filter(({ value }) => limitOf(value) !== null);
  const usedUp = limited.filter(({ value, used }) => used >= (limitOf(value) ?? 0));
  const rows = await subscriptionsOf(db, [id, ...ancestors]);
  const factOf = (usage: UsageFact, sentence: string) => {
    const row = rows.find((subscription) => subscription.id === usage.subscription_id);
    return fact(sentence, {
      subject: row ? naming.subscription(row) : null,
      feature: audienceTags(loaded.room.room_type).minutes,
      limit: limitOf(usage.value),
      used: usage.used,
      until:
        usage.valid_until === null || usage.valid_until <= today
          ? null
          : printCalendarDate(calendarDate(usage.valid_until)),
    });
  };
  if (usedUp.length > 0) return usedUp.map((usage) => factOf(usage, 'The minutes of the period are used up.'));
  return limited.map((usage) => factOf(usage, 'Running meetings are using up the remaining minutes.'));
}

/** Which limits are 0, and whether the room or its subscription sets them. */
async function zeroLimitFacts(db: Db, { loaded }: Findings, naming: Naming): Promise<Fact[]> {
  const features = await featuresOfRoom(db, loaded.room);
  return loaded.rules.zeroLimits.map((tag) => {
    const isOfRoom = features.find((feature) => feature.tag === tag)?.source === 'room';
    return fact(`The limit ${tag} of the ${isOfRoom ? 'room' : 'subscription'} is 0.`, {
      subject: isOfRoom ? naming.room(loaded.room) : naming.subscription(loaded.subscription),
      feature: tag,
      limit: 0,
    });
  });
}

async function roomFullFact(db: Db, { loaded, occupancy }: Findings, naming: Naming): Promise<Fact> {
  const limitTag = audienceTags(loaded.room.room_type).atOnce;
  const [feature] = (await featuresOfRoom(db, loaded.room)).filter(({ tag }) => tag === limitTag);
  const isOfRoom = feature?.source === 'room';
  return fact(
    isOfRoom
      ? 'The room has reached the limit in its settings.'
      : `The room has reached the limit of its subscription (${findFeature(limitTag)?.name ?? limitTag}).`,
    {
      subject: isOfRoom ? naming.room(loaded.room) : naming.subscription(loaded.subscription),
      feature: limitTag,
      limit: loaded.rules.participantLimit,
      used: occupancy.inRoom,
    },
  );
}
