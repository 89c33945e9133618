import { sessionServiceOf } from '../../../providers/provider-type.ts';
import type { Dependencies } from '../../../dependencies.ts';
import type { ProviderCandidate } from '../../service-providers/index.ts';
import { type Fact, fact, type Naming } from './facts.ts';
import type { LoadedAccess } from '../../room-access/index.ts';
import { planMeeting } from '../open-meeting.ts';

export interface Overlong {
  readonly provider: ProviderCandidate;
  /** How many bytes the texts are too long for the provider. */
  readonly excess: number;
}

/** The providers on which a meeting cannot be opened because the room's texts are too long for a request. */
export function findOverlong(dependencies: Dependencies, loaded: LoadedAccess): Overlong[] {
  const plan = planMeeting(dependencies, withoutLimits(loaded), { id: loaded.room.id, may_record: true });
  return loaded.providers.flatMap((provider) => {
    const excess =
      sessionServiceOf(dependencies.providers.type(provider.provider_type))?.textLimit?.excessBytes(plan) ?? 0;
    return excess === 0 ? [] : [{ provider, excess }];
  });
}

/** A limit of 0 cannot be sent; it is a separate refusal. */
function withoutLimits(loaded: LoadedAccess): LoadedAccess {
  const features = new Map([...loaded.features].filter(([tag]) => !tag.startsWith('max_')));
  return { ...loaded, features };
}

export function overlongFacts(overlong: readonly Overlong[], naming: Naming): Fact[] {
  return overlong.map(({ provider, excess }) =>
    fact(`The texts of the room are ${excess} bytes too long for the provider.`, {
      subject: naming.provider(provider, provider.state),
    }),
  );
}
