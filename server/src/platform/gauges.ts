import { Gauge, type Registry } from 'prom-client';
import { withTimeout } from './time/with-timeout.ts';

/** Figures that are read together, at most every five seconds, when `/metrics` is requested. */
export interface GaugeGroup<Context> {
  readonly gauges: readonly GaugeDescription[];
  /** The read has a time limit. If it fails, no figure of any group is shown. */
  readonly read: (context: Context) => Promise<readonly Sample[]>;
}

interface GaugeDescription {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

export interface Sample {
  readonly gauge: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface GaugeOptions<Context> {
  readonly registry: Registry;
  readonly context: Context;
  readonly onFailure: (error: unknown) => void;
}

const minIntervalMs = 5000;
const readTimeoutMs = 2000;

/** @returns a function that updates the gauges */
export function createGauges<Context>(
  groups: readonly GaugeGroup<Context>[],
  { registry, context, onFailure }: GaugeOptions<Context>,
): () => Promise<void> {
  const gauges = new Map(
    groups.flatMap(({ gauges: descriptions }) =>
      descriptions.map(({ name, help, labels = [] }) => [
        name,
        new Gauge({ name, help, labelNames: [...labels], registers: [registry] }),
      ]),
    ),
  );

  async function refresh(): Promise<void> {
    const read = Promise.all(groups.map((group) => group.read(context)));
    const samples = await withTimeout(readTimeoutMs, read, throwTimeout).catch((error: unknown) => {
      onFailure(error);
      return [];
    });
    for (const gauge of gauges.values()) {
      gauge.reset();
      // A reset sets a gauge without labels to 0.
      gauge.remove({});
    }
    for (const { gauge, labels = {}, value } of samples.flat()) gauges.get(gauge)?.set(labels, value);
  }

  let reading: Promise<void> | null = null;
  let readAtMs = -Infinity;
  return async () => {
    if (performance.now() - readAtMs < minIntervalMs) return;
    reading ??= refresh().finally(() => {
      readAtMs = performance.now();
      reading = null;
    });
    await reading;
  };
}

function throwTimeout(): never {
  throw new Error('The figures were not read in time.');
}
