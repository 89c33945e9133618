import { providerStates } from '@foyer/contract/service-provider-health.ts';
import { Gauge, type Registry } from 'prom-client';
import type { Dependencies } from './dependencies.ts';
import { countOpenMeetings } from './modules/meetings/index.ts';
import { waitingRecordings, waits } from './modules/recordings/index.ts';
import { providerFigures } from './modules/service-providers/index.ts';
import { printIdentifier } from './platform/identifier.ts';

/** More series than that are no help to anybody: the providers that were added first are shown. */
const mostProviders = 1000;
/** However often somebody looks, the database is asked once in that time. */
const freshMs = 5000;
const patienceMs = 2000;

/**
 * Figures of the service providers, by their ids alone: whoever may look at figures need not know who they are. No
 * provider is asked. @returns what brings them up to date; where the database does not answer in time, there are none.
 */
export function createProviderGauges(metrics: Registry, dependencies: Dependencies): () => Promise<void> {
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name, help, labelNames, registers: [metrics] });
  const gauges = {
    providers: gauge('foyer_providers', 'Active service providers.'),
    state: gauge('foyer_provider_state', 'How a service provider is, as the last checks found: 1 for its state.', [
      'provider',
      'state',
    ]),
    checked: gauge('foyer_provider_checked_timestamp_seconds', 'When a service provider was asked last.', ['provider']),
    latency: gauge('foyer_provider_latency_seconds', 'How long its last answer took.', ['provider']),
    meetings: gauge(
      'foyer_provider_meetings',
      'Meetings on its server when they were counted last, those of others too.',
      ['provider'],
    ),
    participants: gauge('foyer_provider_participants', 'Who was in them.', ['provider']),
    waiting: gauge('foyer_provider_recordings_waiting', 'Recordings that wait for the provider, by what for.', [
      'provider',
      'wait',
    ]),
    circuit: gauge(
      'foyer_provider_circuit_open',
      'Whether this process leaves the provider alone for a while, since it failed again and again.',
      ['provider'],
    ),
    open: gauge('foyer_meetings_open', 'Meetings of Foyer that go on, each once.'),
    inside: gauge('foyer_meetings_participants', 'Who is in them.'),
  };

  async function read() {
    const { db, clock } = dependencies;
    const [figures, waiting, open] = await Promise.all([
      providerFigures(db, clock.now(), mostProviders),
      waitingRecordings(db),
      countOpenMeetings(db),
    ]);
    return { figures, waiting, open };
  }

  async function refresh(): Promise<void> {
    const known = await within(patienceMs, read()).catch((error: unknown) => {
      dependencies.logger.warn({ reason: String(error) }, 'figures of providers not read');
      return null;
    });
    for (const each of Object.values(gauges)) each.reset();
    if (!known) {
      for (const each of [gauges.providers, gauges.open, gauges.inside]) each.remove();
      return;
    }
    const { figures, waiting, open } = known;
    gauges.providers.set(figures.total);
    gauges.open.set(open.meetings);
    gauges.inside.set(open.participants);
    const circuits = dependencies.providers.openCircuits();
    for (const { id, state, checkedAtMs, latencyMs, meetings, participants } of figures.providers) {
      const provider = printIdentifier('prov', id);
      for (const each of providerStates) gauges.state.set({ provider, state: each }, each === state ? 1 : 0);
      if (checkedAtMs !== null) gauges.checked.set({ provider }, checkedAtMs / 1000);
      if (latencyMs !== null) gauges.latency.set({ provider }, latencyMs / 1000);
      if (meetings !== null) gauges.meetings.set({ provider }, meetings);
      if (participants !== null) gauges.participants.set({ provider }, participants);
      for (const wait of waits) gauges.waiting.set({ provider, wait }, 0);
      gauges.circuit.set({ provider }, circuits.has(id) ? 1 : 0);
    }
    const shown = new Set(figures.providers.map(({ id }) => id));
    for (const { providerId, wait, count } of waiting) {
      if (shown.has(providerId)) gauges.waiting.set({ provider: printIdentifier('prov', providerId), wait }, count);
    }
  }

  let reading: Promise<void> | null = null;
  let readAtMs = -Infinity;
  return async () => {
    if (performance.now() - readAtMs < freshMs) return;
    reading ??= refresh().finally(() => {
      readAtMs = performance.now();
      reading = null;
    });
    await reading;
  };
}

async function within<Outcome>(ms: number, work: Promise<Outcome>): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('not in time')), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
