import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApi, startApi } from './api.ts';
import { makeAccount } from './factories.ts';
import { firstAdmin } from './first-admin.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
let api: TestApi;
/** An empty project with the package installed. */
let project: string;
let program: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'foyer-sdk-consumer-'));
  [api, program] = await Promise.all([startApi(), readProgram(), install()]);
});
afterAll(async () => {
  await api?.close();
  await rm(project, { recursive: true, force: true });
});

test('the example in the README of the SDK runs in a project with only the packed SDK', async () => {
  await makeAccount(api);
  await writeFile(join(project, 'rooms.mjs'), program);
  const { access_token: token } = await api.anyone.loginAdmin({
    body: { username: firstAdmin.username, password: firstAdmin.password },
  });
  expect(await runProgram(token)).toMatch(/^Created room_\w+\. Open in a browser: http.+\nactive Weekly\n$/);
  await expect(runProgram('nonsense')).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/^401 \S+: /) });
});

test('the example compiles with the strictest compiler options and Node resolution, and the declarations of the SDK have no errors', async () => {
  await writeFile(join(project, 'rooms.mts'), program);
  await writeFile(
    join(project, 'refused.mts'),
    `import { createClient, type ListItem } from '@foyer/sdk';
const foyer = createClient({ baseUrl: '' });
// @ts-expect-error a room needs an account
void foyer.createRoom({ body: { room_name: 'Weekly' } });
// @ts-expect-error not a role
void foyer.createRoomToken({ params: { room_id: '' }, body: { role: 'king' } });
// @ts-expect-error not a list
void foyer.all('createRoom');
export const name = (room: ListItem<'listRooms'>): string => room.room_name;
`,
  );
  await compile(['rooms.mts', 'refused.mts'], ['--module', 'nodenext']);
});

test('the types of every operation in the SDK match the contract', async () => {
  await writeFile(
    join(project, 'same.ts'),
    `import type { Operations as Written } from './node_modules/@foyer/sdk/dist/operations.d.ts';
import type { Operations } from '${root}sdk/src/operations.ts';

/** Removes includes, which only the SDK declares, and widens scopes, which are any text in the contract. */
type Plain<T> = T extends string
  ? '*' extends T ? string : T
  : T extends readonly (infer Item)[]
    ? Plain<Item>[]
    : T extends object
      ? { [Key in keyof T as IsIncluded<T[Key]> extends true ? never : Key]: Plain<T[Key]> }
      : T;
type IsIncluded<T> = [{ data: unknown }] extends [T] ? ([T] extends [{ data: unknown } | undefined] ? true : false) : false;
type IsSame<A, B> = (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;
type Differing<A, B> = {
  [Name in keyof A]: Name extends keyof B ? (IsSame<A[Name], B[Name]> extends true ? never : Name) : Name;
}[keyof A];
export const differing: Record<Differing<Operations, Written> | Differing<Written, Operations>, never> = {};
`,
  );
  const options = ['--module', 'esnext', '--moduleResolution', 'bundler', '--allowImportingTsExtensions'];
  await compile(['same.ts'], [...options, '--customConditions', '@foyer/source', '--skipLibCheck']);
});

test('the SDK can be bundled for browsers, because nothing in it needs Node', async () => {
  const built = await build({
    stdin: { contents: program, resolveDir: project },
    bundle: true,
    platform: 'browser',
    format: 'esm',
    write: false,
    logLevel: 'silent',
  });
  expect(built.outputFiles[0]?.text).toContain('/rooms');
});

async function readProgram(): Promise<string> {
  const readme = await readFile(join(root, 'sdk/README.md'), 'utf8');
  return /```js\n(.*?)```/s.exec(readme)?.[1] ?? '';
}

async function install(): Promise<void> {
  const tarballs = join(project, 'tarballs');
  await mkdir(tarballs);
  await npm(root, ['pack', '-w', 'sdk', '--pack-destination', tarballs]);
  const [tarball = ''] = await readdir(tarballs);
  await writeFile(join(project, 'package.json'), '{ "private": true }');
  await npm(project, ['install', '--offline', '--no-audit', join(tarballs, tarball)]);
  expect(await readdir(join(project, 'node_modules/@foyer'))).toEqual(['sdk']);
}

async function npm(cwd: string, args: readonly string[]): Promise<void> {
  const { PATH } = process.env;
  await run('npm', args, { cwd, env: { PATH, HOME: project, npm_config_cache: join(project, '.npm') } });
}

async function runProgram(token: string): Promise<string> {
  const { PATH } = process.env;
  const env = { PATH, FOYER_URL: api.url, FOYER_TOKEN: token };
  return (await run(process.execPath, ['rooms.mjs'], { cwd: project, env })).stdout;
}

async function compile(files: readonly string[], options: readonly string[]): Promise<void> {
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noEmit'];
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types'), '--target', 'es2023'];
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '--ignoreConfig', ...strict, ...types, ...options, ...files], {
    cwd: project,
  }).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
}
