import type { Database } from '../../database/connect.ts';
import type { Uuid } from '../../platform/identifier.ts';
import type { ProviderStanding } from '../service-providers/index.ts';
import { type Fact, fact, type Naming } from './facts.ts';
import { attachedProviders, healthOf } from './facts-store.ts';
import type { LoadedDoor } from './load-door.ts';

/** Why no new meeting can be opened on any provider of the subscription. */
export async function providerFacts(db: Database, loaded: LoadedDoor, naming: Naming): Promise<Fact[]> {
  const attached = await attachedProviders(db, loaded.subscription.id);
  const off = attached.filter(({ is_on: isOn, is_used: isUsed }) => !isOn || !isUsed);
  const facts = [
    ...loaded.unfitProviders.map((standing) => obstacleFact(standing, naming)),
    ...off.map((provider) =>
      fact(
        provider.is_on ? 'The provider is switched off for the subscription.' : 'The provider itself is switched off.',
        { subject: naming.provider(provider, 'inactive') },
      ),
    ),
  ];
  if (facts.length > 0) return facts;
  return [fact('The subscription has no service provider.', { subject: naming.subscription(loaded.subscription) })];
}

function obstacleFact(standing: ProviderStanding, naming: Naming): Fact {
  const subject = naming.provider(standing, standing.obstacle ?? standing.state);
  const { maxMeetings, maxParticipants, meetings, participants } = standing;
  switch (standing.obstacle) {
    case 'draining':
      return fact('The provider takes no new meetings: it is being drained.', { subject });
    case 'tags-missing':
      return fact('The provider does not bear all tags that the subscription asks for.', { subject });
    default: {
      const isByMeetings = maxMeetings !== null && meetings >= maxMeetings;
      return fact(`The provider takes no more ${isByMeetings ? 'meetings' : 'participants'} at once.`, {
        subject,
        limit: isByMeetings ? maxMeetings : maxParticipants,
        used: isByMeetings ? meetings : participants,
      });
    }
  }
}

/** Who does not answer, and since when. @param meetingProviderId has the room's meeting */
export async function unreachableFacts(
  db: Database,
  { providers }: LoadedDoor,
  meetingProviderId: Uuid | null,
  naming: Naming,
): Promise<Fact[]> {
  const ids = meetingProviderId === null ? providers.map(({ id }) => id) : [meetingProviderId];
  const found = await Promise.all(ids.map((id) => healthOf(db, id)));
  return found.flatMap((health) => {
    if (!health) return [];
    const what =
      meetingProviderId === null
        ? 'The provider on which a meeting would be opened does not answer'
        : 'The provider that has the meeting does not answer';
    const problem = naming.mayNameProviders && health.problem !== null ? `: ${health.problem}` : '';
    return fact(`${what}${problem.replace(/\.$/, '')}.`, {
      subject: naming.provider(health, health.state),
      since: health.since,
    });
  });
}
