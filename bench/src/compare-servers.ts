import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Child } from './child.ts';
import { connections, runLoad, type Scenario } from './measure/load.ts';
import type { Options } from './options.ts';
import { type Comparison, goals, type Round } from './measure/report.ts';
import { printLine } from './measure/print-line.ts';

/** Compares headers and body of both servers and prints the first difference. */
export async function compareAnswers(foyer: string, bare: string, scenario: Scenario, token: string): Promise<void> {
  const [one = '', other = ''] = await Promise.all([foyer, bare].map((url) => fetchResponse(url, scenario, token)));
  if (one === other) return printLine(`${scenario.name}: both send the same ${Buffer.byteLength(one)} bytes.`);
  const at = [...one].findIndex((character, index) => character !== other[index]);
  const from = Math.max(0, (at < 0 ? one.length : at) - 30);
  const [ours, theirs] = [one, other].map((text) => JSON.stringify(text.slice(from, from + 70)));
  printLine(`${scenario.name}: the answers differ at byte ${from}: Foyer ${ours}, bare handler ${theirs}`);
}

async function fetchResponse(url: string, { method, paths, body }: Scenario, token: string): Promise<string> {
  const response = await fetch(`${url}${paths[0]}`, {
    method,
    body,
    headers: {
      authorization: `Bearer ${token}`,
      'accept-encoding': 'identity',
      ...(body === null ? {} : { 'content-type': 'application/json' }),
    },
  });
  const head = [...response.headers].filter(([name]) => name !== 'date').map(([name, value]) => `${name}: ${value}`);
  return replaceVaryingValues([response.status, ...head, await response.text()].join('\n'));
}

/** Replaces identifiers, tokens, tags and instants by placeholders. */
function replaceVaryingValues(text: string): string {
  return text
    .replaceAll(/etag: "[\w-]{22}(\.[\w-]{22})?"/g, 'etag: …')
    .replaceAll(/(rtok_)?[0-9a-z]{26}(?=")/g, '$1…')
    .replaceAll(/frm_[\w-]{43}/g, 'frm_…')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '…')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}Z/g, '…');
}

export async function compare(
  { seconds, rounds }: Options,
  servers: { readonly foyer: Child; readonly bare: Child },
  scenarios: Readonly<Record<'list' | 'read' | 'create', Scenario>>,
  token: string,
): Promise<Comparison[]> {
  printLine(`${connections} connections, ${seconds} s for each figure, ${rounds} rounds, the servers in turn.`);
  const loads = (['list', 'read', 'create'] as const).map((kind) => ({ scenario: scenarios[kind], goal: goals[kind] }));
  for (const { scenario } of loads) {
    for (const server of Object.values(servers)) await runLoad(server.url, scenario, token, 1);
  }
  const comparisons = loads.map(({ scenario: { name }, goal }) => ({
    name,
    goal,
    foyer: [] as Round[],
    bare: [] as Round[],
  }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, { scenario }] of loads.entries()) {
      const order = round % 2 === 0 ? (['foyer', 'bare'] as const) : (['bare', 'foyer'] as const);
      for (const name of order) {
        comparisons[index]?.[name].push(await measure(servers[name], scenario, token, seconds));
      }
    }
    printLine(`Round ${round + 1} of ${rounds} is done.`);
  }
  return comparisons;
}

/** Writes a `.cpuprofile` of each server under each load. */
export async function profileAll(
  { folder, seconds }: { readonly folder: string; readonly seconds: number },
  servers: { readonly foyer: Child; readonly bare: Child },
  scenarios: Readonly<Record<string, Scenario>>,
  token: string,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [scenarioName, scenario] of Object.entries(scenarios)) {
    for (const [name, server] of Object.entries(servers)) {
      await server.startProfile();
      await runLoad(server.url, scenario, token, seconds);
      await server.endProfile(join(folder, `${name}-${scenarioName}.cpuprofile`));
    }
  }
  printLine(`Profiles are in ${folder}.`);
}

async function measure(server: Child, scenario: Scenario, token: string, seconds: number): Promise<Round> {
  const before = await server.usage();
  const figures = await runLoad(server.url, scenario, token, seconds);
  const after = await server.usage();
  return { ...figures, cpuMs: (after.cpuMs - before.cpuMs) / figures.requests };
}
