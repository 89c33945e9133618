import type { Dependencies } from '../../../dependencies.ts';
import type { Finding } from '../../../module.ts';
import { SecretUnreadable } from '../../../platform/crypto/secret-box.ts';
import { counted } from '../../../platform/text/counted.ts';
import { checkServiceProvider } from './check-service-provider.ts';
import { readProviderFigures, type ProviderFigures } from './figures.ts';

/** Checks every active provider now, and reports the last results of the worker. */
export async function checkServiceProviders(dependencies: Dependencies): Promise<Finding[]> {
  const { db, clock } = dependencies;
  const { providers: all } = await readProviderFigures(db, clock.now(), 100_000);
  if (all.length === 0) return [{ subject: 'providers', state: 'warning', text: 'no provider is active' }];
  const byName = all.toSorted((one, other) => one.name.localeCompare(other.name));
  const findings = await Promise.all(
    byName.map(async (figures) => [
      await checkNow(dependencies, figures),
      ...describeStoredState(figures, clock.nowMs()),
    ]),
  );
  return [...findings.flat(), ...listSetupNotes(dependencies, all)];
}

/** Advice about settings of the servers that their APIs do not return. */
function listSetupNotes({ providers }: Dependencies, all: readonly ProviderFigures[]): Finding[] {
  return providers.types.flatMap(({ declaration: { name, displayName, setupNote } }) =>
    all.some(({ type }) => type === name)
      ? [{ subject: 'providers', state: 'ok' as const, text: `${displayName}: ${setupNote}` }]
      : [],
  );
}

async function checkNow(dependencies: Dependencies, { id, name }: ProviderFigures): Promise<Finding> {
  const subject = 'providers';
  try {
    const check = await checkServiceProvider(dependencies, id);
    const { reachable, secret_accepted: accepted, latency_ms: ms, problem } = check;
    if (reachable === true && accepted === true)
      return typeof problem === 'string'
        ? { subject, state: 'warning', text: `${name}: ${problem}` }
        : { subject, state: 'ok', text: `${name} responds in ${String(ms)} ms` };
    return { subject, state: 'fault', text: `${name}: ${String(problem)}` };
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    return { subject, state: 'fault', text: `${name}: the secret cannot be decrypted` };
  }
}

function countText(count: number | null, noun: string): string {
  return count === null ? `${noun}s not counted yet` : counted(count, noun);
}

/** The stored state, from before the check. */
function describeStoredState(
  { name, state, problem, checkedAtMs, meetings, participants, draining, namesWithSameServer }: ProviderFigures,
  nowMs: number,
): Finding[] {
  const findings: Finding[] = [];
  const subject = 'providers';
  const addFinding = (findingState: Finding['state'], text: string) =>
    findings.push({ subject, state: findingState, text: `${name}: ${text}` });
  if (state === 'unknown') {
    const since = checkedAtMs === null ? 'yet' : `for ${Math.round((nowMs - checkedAtMs) / 60_000)} minutes`;
    addFinding('warning', `no worker has checked it ${since}, so its state is unknown`);
  } else {
    const load = `${countText(meetings, 'meeting')}, ${countText(participants, 'participant')}`;
    const description = `${state}${draining ? ', draining' : ''}${problem === null ? '' : ` (${problem.replace(/\.$/, '')})`}`;
    addFinding(state === 'healthy' ? 'ok' : 'warning', `${description}, ${load}`);
  }
  if (namesWithSameServer.length > 0)
    addFinding(
      'warning',
      `same server as ${namesWithSameServer.join(', ')}: each of them checks the server and shows its load`,
    );
  return findings;
}
