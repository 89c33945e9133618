import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as sdk from '@foyer/sdk';

export interface SampleRun {
  /** The shell samples of a page, in order. */
  readonly shell: readonly string[];
  readonly scripts: readonly string[];
  readonly folder: string;
  /** Variables that the page does not set, and values for its placeholders. */
  readonly values: Readonly<Record<string, string>>;
}

/** `NAME=prefix_… # comment`. */
const placeholder = /^([A-Z_]+)=(?:'…'|\S*…)(?: # (.*))?$/gm;

/** The placeholders that the page does not read from a response. */
export function placeholdersOf(code: string): string[] {
  return [...code.matchAll(placeholder)].flatMap(([, name = '', comment]) => (parseSource(comment) ? [] : [name]));
}

/**
 * Runs the samples of a page: the shell samples in one bash, then the scripts with its variables.
 *
 * @throws with the output of the first command that fails; an HTTP status of 400 or more is a failure.
 */
export async function runSamples({ shell, scripts, folder, values }: SampleRun): Promise<void> {
  const program = [prelude, ...shell.map(fillPlaceholders), 'env -0 > variables'].join('\n');
  await writeFile(join(folder, 'samples.sh'), program);
  const bash = spawn('bash', ['samples.sh'], { cwd: folder, env: { ...process.env, ...values } });
  const [output, errors, [code]] = await Promise.all([text(bash.stdout), text(bash.stderr), once(bash, 'close')]);
  if (code !== 0) throw new Error(`The samples exit with ${code}.\n${output.slice(-2000)}\n${errors}`);
  const variables = await readVariables(join(folder, 'variables'));
  for (const script of scripts) await runScript(script, variables);
}

const prelude = `set -euo pipefail -o allexport
curl() { command curl -sS --fail-with-body "$@" | tee last-response; }
from_response() { node -pe "
  const response = JSON.parse(require('fs').readFileSync('last-response', 'utf8'));
  '$1'.split('.').reduce((value, name) => value[name], response)"; }`;

function fillPlaceholders(code: string): string {
  return code.replaceAll(placeholder, (_, name: string, comment?: string) => {
    const source = parseSource(comment);
    if (!source) return '';
    const end = source.isToken ? ` | grep -o '[^/=]*$'` : '';
    return `${name}=$(from_response ${source.path}${end})`;
  });
}

function parseSource(comment = ''): { path: string; isToken: boolean } | null {
  const [, token, path] = /^(the token in )?([\w.]+) of the response$/.exec(comment) ?? [];
  return path === undefined ? null : { path, isToken: token !== undefined };
}

async function readVariables(file: string): Promise<Record<string, string>> {
  const lines = (await readFile(file, 'utf8')).split('\0').filter((line) => line !== '');
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

type AsyncFunction = (...values: unknown[]) => Promise<unknown>;
const compile = Object.getPrototypeOf(runScript).constructor as new (...source: string[]) => AsyncFunction;

async function runScript(script: string, variables: Record<string, string>): Promise<void> {
  const foyer = sdk.createClient({ baseUrl: variables['FOYER'] ?? '', token: variables['TOKEN'] ?? null });
  const body = script.replace(/^import (\{.+\}) from '@foyer\/sdk';$/m, 'const $1 = sdk;');
  const silent = { log() {}, error() {} };
  // In a block, because a sample may declare its own `foyer`.
  await new compile('sdk', 'foyer', 'process', 'console', `{ ${body} }`)(sdk, foyer, { env: variables }, silent);
}
