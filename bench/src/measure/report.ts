import type { LoadFigures } from './load.ts';
import { median } from './median.ts';
import type { StartUpFigures } from '../start-up.ts';

/** Measurements of one server under one load. */
export interface Round extends LoadFigures {
  /** CPU time of the server process per request. */
  readonly cpuMs: number;
}

export interface Comparison {
  readonly name: string;
  /** The smallest ratio that reaches the goal. */
  readonly goal: number;
  readonly foyer: readonly Round[];
  readonly bare: readonly Round[];
}

/** Goals: ratios to the bare handler's throughput, milliseconds, and bytes. */
export const goals = { list: 0.75, read: 0.7, create: 0.7, startUpMs: 5000, rssBytes: 250_000_000 };

export function formatReport(
  comparisons: readonly Comparison[],
  startUp: StartUpFigures,
  rssBytes: { readonly foyer: number; readonly bare: number },
): string {
  const rows = comparisons.flatMap(({ name, foyer, bare }) => [
    [name, 'Foyer', ...medianCells(foyer)],
    ['', 'bare handler', ...medianCells(bare)],
    ['', 'ratio', ratioOf({ foyer, bare }).toFixed(2), '', '', cpuRatio(foyer, bare), ''],
  ]);
  return [
    formatTable([['request', 'server', 'requests/s', 'p50 ms', 'p99 ms', 'CPU ms/request', 'failed'], ...rows]),
    '',
    `Start-up      ${formatSeconds(startUp.warmMs)} to the ready line, ${formatSeconds(startUp.firstMs)} on an empty folder`,
    `Memory (RSS)  ${formatMegabytes(rssBytes.foyer)} after the load; the bare handler ${formatMegabytes(rssBytes.bare)}`,
    '',
    ...comparisons.map((comparison) =>
      formatGoal(
        `${comparison.name}: ratio of at least ${comparison.goal}`,
        ratioOf(comparison).toFixed(2),
        ratioOf(comparison) >= comparison.goal,
      ),
    ),
    formatGoal(
      `start-up below ${formatSeconds(goals.startUpMs)}`,
      formatSeconds(startUp.warmMs),
      startUp.warmMs < goals.startUpMs,
    ),
    formatGoal(
      `memory below ${formatMegabytes(goals.rssBytes)}`,
      formatMegabytes(rssBytes.foyer),
      rssBytes.foyer < goals.rssBytes,
    ),
  ].join('\n');
}

/** The median of the ratios of all rounds, since other work on the machine affects both servers of a round. */
export function ratioOf({ foyer, bare }: Pick<Comparison, 'foyer' | 'bare'>): number {
  return median(foyer.map(({ perSecond }, index) => perSecond / (bare[index]?.perSecond ?? Number.NaN)));
}

function cpuRatio(foyer: readonly Round[], bare: readonly Round[]): string {
  return (median(bare.map(({ cpuMs }) => cpuMs)) / median(foyer.map(({ cpuMs }) => cpuMs))).toFixed(2);
}

function medianCells(rounds: readonly Round[]): string[] {
  const medianOf = (pick: (round: Round) => number) => median(rounds.map(pick));
  return [
    medianOf(({ perSecond }) => perSecond).toFixed(0),
    medianOf(({ p50Ms }) => p50Ms).toFixed(1),
    medianOf(({ p99Ms }) => p99Ms).toFixed(1),
    medianOf(({ cpuMs }) => cpuMs).toFixed(3),
    String(rounds.reduce((sum, { failures }) => sum + failures, 0)),
  ];
}

function formatGoal(name: string, figure: string, isReached: boolean): string {
  return `${isReached ? 'reached     ' : 'not reached '} ${name} (${figure})`;
}

function formatSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}

function formatMegabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(0)} MB`;
}

function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
