import { features } from '@foyer/contract/resources/packages/features.ts';
import { expect, onTestFinished } from 'vitest';
import type { FullMeetingProvider, MeetingPlan } from '../../src/providers/meet.ts';
import { ProviderFailure } from '../../src/providers/provider-failure.ts';
import { providerTypes as types } from '../../src/providers/provider-types.ts';
import { createProviderRegistry, type ProviderRegistry } from '../../src/providers/registry.ts';

export const providerTypes = ['bigbluebutton', 'scalelite'] as const;

export const providerSecret = 'Tr0ub4dor-and-3';

/** A registry for one test, with a fixed time by default. */
export function createTestRegistry(options: { timeoutMs?: number; nowMs?: () => number } = {}): ProviderRegistry {
  const { timeoutMs = 5000, nowMs = () => 0 } = options;
  const registry = createProviderRegistry({ types, timeoutMs: () => timeoutMs, nowMs });
  onTestFinished(() => registry.close());
  return registry;
}

export function createTestProvider(
  providerType: string,
  hostUrl: string,
  options: { secret?: string; timeoutMs?: number; nowMs?: () => number; algorithm?: string; ca?: string } = {},
): FullMeetingProvider {
  const { secret = providerSecret, algorithm, ca, ...registry } = options;
  const provider = createTestRegistry(registry).meeting({
    id: 'provider-1',
    providerType,
    properties: {
      host_url: hostUrl,
      secret,
      ...(algorithm && { checksum_algorithm: algorithm }),
      ...(ca && { ca_certificate: ca }),
    },
  });
  // The types under test have all capabilities.
  return provider as FullMeetingProvider;
}

/** A plan with all flags on, all limits unlimited, and no settings, except for the changes. */
export function meetingPlan(
  changes: Partial<MeetingPlan> & { featureValues?: Record<string, string> } = {},
): MeetingPlan {
  const { featureValues = {}, ...otherChanges } = changes;
  const defaultFeatures = features.map(
    ({ code, valueType }) => [code, valueType === 'flag' ? 'true' : 'unlimited'] as const,
  );
  return {
    meetingId: '019aa000-0000-7000-8000-000000000001',
    serviceType: 'meet',
    name: 'Demo',
    passwordSeed: 'seed',
    features: new Map([...defaultFeatures, ...Object.entries(featureValues)]),
    settings: {},
    metadata: {},
    ...otherChanges,
  };
}

/** Returns the provider failure of the call, which must fail. */
export async function failureOf(call: Promise<unknown>): Promise<ProviderFailure> {
  const outcome = await call.then(
    () => 'the call succeeded',
    (error: unknown) => error,
  );
  if (outcome instanceof ProviderFailure) return outcome;
  throw new Error('There was no failure of the provider.', { cause: outcome });
}

/** Follows all redirects of a join and returns the final address. A load balancer first redirects to a server. */
export async function followRedirects(entry: string): Promise<URL> {
  const answer = await fetch(entry, { redirect: 'manual' });
  expect(answer.status).toBe(302);
  const location = new URL(answer.headers.get('location') ?? '');
  return location.pathname.endsWith('/api/join') ? await followRedirects(location.href) : location;
}
