import type { PassedOverReason } from '@foyer/contract/resources/rooms/room-entry.ts';
import type { Database } from '../../../database/connect.ts';
import { type Uuid, idsOf } from '../../../platform/identity/identifier.ts';
import type { ProviderCandidate } from '../../service-providers/index.ts';
import { type Fact, fact, type Naming } from './facts.ts';
import { attachedProviders, findProviderHealth } from './facts-store.ts';
import type { LoadedAccess } from '../../room-access/index.ts';

/** Why no new meeting can be opened on any provider of the subscription. */
export async function providerFacts(db: Database, loaded: LoadedAccess, naming: Naming): Promise<Fact[]> {
  const passedOver = await findPassedOver(db, loaded, naming);
  if (passedOver.length > 0) return passedOver.map((provider) => provider.fact);
  return [fact('The subscription has no service provider.', { subject: naming.subscription(loaded.subscription) })];
}

export interface PassedOver {
  readonly id: Uuid;
  readonly provider_name: string;
  readonly provider_type: string;
  readonly reason: PassedOverReason;
  readonly fact: Fact;
}

/** The providers of the subscription on which no new meeting would be opened now, each with the reason. */
export async function findPassedOver(db: Database, loaded: LoadedAccess, naming: Naming): Promise<PassedOver[]> {
  const attached = await attachedProviders(db, loaded.subscription.id);
  const isAnyProviderUp = loaded.providers.some(({ state }) => state !== 'down');
  const down = loaded.providers.filter(({ state }) => isAnyProviderUp && state === 'down');
  const off = attached.filter(({ is_on: isOn, is_used: isUsed }) => !isOn || !isUsed);
  return [
    ...down.map((candidate) =>
      toPassedOver(
        candidate,
        'down',
        fact('The provider is down, so it is only tried if no other provider is left.', {
          subject: naming.provider(candidate, 'down'),
          since: candidate.since,
        }),
      ),
    ),
    ...loaded.unfitProviders.map((candidate) =>
      toPassedOver(candidate, candidate.obstacle ?? 'full', obstacleFact(candidate, naming)),
    ),
    ...off.map((provider) => {
      const subject = naming.provider(provider, 'inactive');
      return provider.is_on
        ? toPassedOver(provider, 'off-here', fact('The provider is switched off for the subscription.', { subject }))
        : toPassedOver(provider, 'off', fact('The provider is switched off.', { subject }));
    }),
  ];
}

function toPassedOver(
  { id, provider_name, provider_type }: Pick<PassedOver, 'id' | 'provider_name' | 'provider_type'>,
  reason: PassedOverReason,
  cause: Fact,
): PassedOver {
  return { id, provider_name, provider_type, reason, fact: cause };
}

function obstacleFact(candidate: ProviderCandidate, naming: Naming): Fact {
  const subject = naming.provider(candidate, candidate.obstacle ?? candidate.state);
  const { maxMeetings, maxParticipants, meetings, participants } = candidate;
  switch (candidate.obstacle) {
    case 'draining':
      return fact('The provider is draining: it takes no new meetings until an administrator ends the draining.', {
        subject,
      });
    case 'tags-missing':
      return fact('The provider does not have all tags that the subscription requires.', { subject });
    default: {
      const isMeetingLimit = maxMeetings !== null && meetings >= maxMeetings;
      return fact(`The provider has reached its limit of ${isMeetingLimit ? 'meetings' : 'participants'}.`, {
        subject,
        limit: isMeetingLimit ? maxMeetings : maxParticipants,
        used: isMeetingLimit ? meetings : participants,
      });
    }
  }
}

/**
 * The providers that do not respond, and since when. If no meeting is running, also the providers that are passed over
 * for a new one.
 * @param meetingProviderId the provider that hosts the room's meeting
 */
export async function unreachableFacts(
  db: Database,
  loaded: LoadedAccess,
  meetingProviderId: Uuid | null,
  naming: Naming,
): Promise<Fact[]> {
  const { providers } = loaded;
  const passedOver = meetingProviderId === null ? await findPassedOver(db, loaded, naming) : [];
  const passedOverFacts = passedOver.filter(({ reason }) => reason !== 'down').map((provider) => provider.fact);
  const ids = meetingProviderId === null ? idsOf(providers) : [meetingProviderId];
  const healths = await Promise.all(ids.map((id) => findProviderHealth(db, id)));
  const unreachable = healths.flatMap((health) => {
    if (!health) return [];
    const sentence =
      meetingProviderId === null
        ? 'The provider that would host the meeting does not respond'
        : 'The provider that hosts the meeting does not respond';
    const problem = naming.mayNameProviders && health.problem !== null ? `: ${health.problem}` : '';
    const remedy = meetingProviderId === null ? '' : remedies[health.state === 'down' ? 'down' : 'unresponsive'];
    return fact(`${sentence}${problem.replace(/\.$/, '')}.${remedy}`, {
      subject: naming.provider(health, health.state),
      since: health.since,
    });
  });
  return [...unreachable, ...passedOverFacts];
}

const remedies = {
  down: ' End the meeting to free the room at once.',
  unresponsive: ' Once it counts as down, you can end the meeting to free the room at once.',
} as const;
