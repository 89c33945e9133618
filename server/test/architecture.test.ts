import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'vite';
import { expect, test } from 'vitest';
import { modules as manifests } from '../src/modules.ts';

const serverFolder = fileURLToPath(new URL('../src/', import.meta.url));
const repository = fileURLToPath(new URL('../../', import.meta.url));

/** Files and folders may import those of the same row and of the rows above. */
const order = [
  ['platform'],
  ['database'],
  ['events'],
  ['providers'],
  ['dependencies.ts'],
  ['module.ts'],
  ['nested-routes.ts'],
  ['modules'],
  ['modules.ts'],
  ['config.ts'],
  ['create-reader.ts'],
  ['app.ts', 'demo.ts', 'reference'],
  ['runtime', 'media-process.ts'],
  ['rotate-keys.ts'],
  ['doctor.ts', 'register-console.ts'],
  ['api.ts', 'worker.ts'],
  ['start.ts'],
  ['main.ts'],
];

/** Modules may import the index of the modules before them. */
const modules = manifests.map(({ name }) => name);

interface Import {
  readonly file: string;
  readonly specifier: string;
  readonly target: string | null;
}

function isSource(name: string): boolean {
  return /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name);
}

async function readImports(folder: string): Promise<Import[]> {
  const names = await readdir(folder, { recursive: true });
  const files = names.filter(
    (name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) && !/(^|\/)(node_modules|dist)\//.test(name),
  );
  const importsOfFiles = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(folder, file), 'utf8');
      const specifiers = [
        ...text.matchAll(/^\s*(?:import|export)\b[^;'"]*?\bfrom\s*['"]([^'"]+)['"]/gm),
        ...text.matchAll(/^\s*import\s*\(?\s*['"]([^'"]+)['"]/gm),
      ];
      return specifiers.map(([, specifier = '']) => ({
        file,
        specifier,
        target: specifier.startsWith('.') ? relative(folder, resolve(folder, dirname(file), specifier)) : null,
      }));
    }),
  );
  return importsOfFiles.flat();
}

function positionOf(path: string): number {
  const [first = ''] = path.split('/');
  return order.findIndex((names) => names.includes(first));
}

test('every folder and file of the server has a position in the import order', async () => {
  const names = (await readdir(serverFolder)).filter((name) => !name.endsWith('.test.ts'));
  expect(names.filter((name) => positionOf(name) < 0)).toEqual([]);
  expect((await readdir(join(serverFolder, 'modules'))).toSorted()).toEqual(modules.toSorted());
});

test('imports run in one direction only', async () => {
  const wrong = (await readImports(serverFolder)).filter(({ file, target }) => {
    return target !== null && positionOf(target) > positionOf(file);
  });
  expect(wrong.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
});

test('a module imports only earlier modules, and only through their index', async () => {
  const wrong = (await readImports(serverFolder)).filter(({ file, target }) => {
    const [folder, ownModule = ''] = file.split('/');
    if (!target?.startsWith('modules/')) return false;
    const [, other = '', entry = ''] = target.split('/');
    if (folder === 'modules' && ownModule === other) return false;
    return entry !== 'index.ts' || (folder === 'modules' && modules.indexOf(other) > modules.indexOf(ownModule));
  });
  expect(wrong.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
});

test('importing a file has no side effects: its top-level statements are declarations', async () => {
  const declaration =
    /^(?:(?:import|export|const|let|class|interface|type|declare) |(?:async )?function[ *]|(?:export|import) ?\{)/;
  const continuation = /^(?:\s|[)}\]`>]|\/\/|\/\*|$)/;
  const names = (await readdir(serverFolder, { recursive: true })).filter(
    (name) => isSource(name) && name !== 'main.ts',
  );
  const statements = await Promise.all(
    names.map(async (name) => {
      const text = (await readFile(join(serverFolder, name), 'utf8')).replace(/`(?:[^`\\]|\\.)*`/gs, '``');
      const wrong = text.split('\n').filter((line) => !declaration.test(line) && !continuation.test(line));
      return wrong.map((line) => `${name}: ${line}`);
    }),
  );
  expect(statements.flat()).toEqual([]);
});

test('no routes, jobs, relations or gauges of a module are missing from its manifest', async () => {
  const manifestKeys = {
    'routes.ts': 'routes',
    'jobs.ts': 'jobs',
    'relations.ts': 'relations',
    'gauges.ts': 'gauges',
  } as const;
  const missing = await Promise.all(
    manifests.map(async (manifest) => {
      const files = (await readdir(join(serverFolder, 'modules', manifest.name), { recursive: true })).map((file) =>
        basename(file),
      );
      return Object.entries(manifestKeys)
        .filter(([file, key]) => files.includes(file) && manifest[key] === undefined)
        .map(([file]) => `${manifest.name}: ${file}`);
    }),
  );
  expect(missing.flat()).toEqual([]);
});

test('no two modules have a job or an encrypted column of the same name', () => {
  const jobNames = manifests.flatMap(({ jobs = {} }) => Object.keys(jobs));
  const columnNames = manifests.flatMap(({ encryptedColumns = [] }) => encryptedColumns.map(({ name }) => name));
  for (const names of [jobNames, columnNames]) expect(names).toEqual([...new Set(names)]);
});

const ruleFiles = [
  'modules/subscriptions/lifecycle/lifecycle.ts',
  'modules/subscriptions/lifecycle/revise-dates.ts',
  'modules/subscriptions/package-change/package-comparison.ts',
  'modules/subscriptions/lifecycle/period.ts',
  'modules/subscriptions/lifecycle/transitions.ts',
  'modules/features/effective-features.ts',
  'modules/features/usage-window.ts',
  'modules/customers/rules/customer-status.ts',
  'modules/room-access/access-rules.ts',
  'modules/service-providers/health/health.ts',
  'modules/service-providers/placement/placement.ts',
];

test('rule files import no clock, no database and no other input or output', async () => {
  const allowed = /^(?:@foyer\/contract\/|(?:\.\.\/){2,3}platform\/(?:time\/calendar-date|failures)\.ts$|\.\/)/;
  const wrong = (await readImports(serverFolder)).filter(
    ({ file, specifier }) => ruleFiles.includes(file) && !allowed.test(specifier),
  );
  expect(wrong.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
});

test('only the configuration and the command line read the environment', async () => {
  const names = await readdir(serverFolder, { recursive: true });
  const readers = await Promise.all(
    names
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
      .map(async (name) => ((await readFile(join(serverFolder, name), 'utf8')).includes('process.env') ? name : null)),
  );
  expect(readers.filter((name) => name !== null && !name.startsWith('database/embedded'))).toEqual(['main.ts']);
});

test('only providers connect to meeting servers, and only webhooks to other servers', async () => {
  // Foyer's own server is created with `node:https` as well.
  const allowed = /^(?:(?:providers|modules\/webhooks\/requests)\/|platform\/http\/server\/connections\.ts$)/;
  const wrong = (await readImports(serverFolder)).filter(
    ({ file, specifier }) => ['undici', 'node:https'].includes(specifier) && !allowed.test(file),
  );
  expect(wrong).toEqual([]);
});

test('only the stores of a module write its tables', async () => {
  const writePattern =
    /(?:insertInto|updateTable|deleteFrom|rowStore(?:<[^>]*>)?|recordStore|removeUnlocked\(\s*\w+,)\(?\s*'(\w+)'[,)]|\b(?:insert into|delete from)\s+(\w+)|\bupdate\s+(\w+)\s+(?:\w+\s+)?set\b/g;
  const writers = new Map<string, Set<string>>();
  const names = await readdir(join(serverFolder, 'modules'), { recursive: true });
  for (const name of names.filter((fileName) => /\.tsx?$/.test(fileName) && !fileName.includes('.test.'))) {
    const text = await readFile(join(serverFolder, 'modules', name), 'utf8');
    for (const [, built, inserted, updated] of text.matchAll(writePattern)) {
      const table = built ?? inserted ?? updated ?? '';
      writers.set(table, (writers.get(table) ?? new Set<string>()).add(name.split('/')[0] ?? ''));
    }
  }
  const shared = [...writers]
    .filter(([, owners]) => owners.size > 1)
    .map(([table, owners]) => `${table}: ${[...owners].join(', ')}`);
  expect(shared).toEqual([]);
});

test('the sdk imports only the contract, web only the sdk and contract, the server only the contract and sandbox, and other workspaces none', async () => {
  const allowed: Record<string, readonly string[]> = {
    'contract/src': [],
    'sdk/src': ['contract'],
    'sandbox/src': [],
    'media/src': [],
    web: ['contract', 'sdk'],
    'server/src': ['contract', 'sandbox'],
  };
  for (const [folder, allowedNames] of Object.entries(allowed)) {
    const [name] = folder.split('/');
    const imports = await readImports(join(repository, folder));
    const forbidden = imports.filter(({ specifier, target }) => {
      const [, other] = /^@foyer\/([a-z]+)/.exec(specifier) ?? [];
      const leavesSources = target?.startsWith('..') && !target.startsWith('../texts/');
      return (other !== undefined && other !== name && !allowedNames.includes(other)) || leavesSources;
    });
    expect(forbidden.map(({ file, specifier }) => `${folder}/${file} imports ${specifier}`)).toEqual([]);
  }
});

test('the kit of the web apps imports nothing from an app, and no resources of the contract except features and provider types', async () => {
  const imports = await readImports(join(repository, 'web/kit'));
  const resources =
    /^@foyer\/contract\/resources\/(?!packages\/(?:features|feature-value|feature-definition)\.ts$|providers\/provider-types\.ts$)/;
  const wrong = imports.filter(
    ({ file, specifier, target }) =>
      target?.startsWith('..') || (resources.test(specifier) && !file.startsWith('test/')),
  );
  expect(wrong.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
});

test('only the start script imports the sandbox', async () => {
  const wrong = (await readImports(serverFolder)).filter(
    ({ file, specifier }) => specifier.startsWith('@foyer/sandbox') && file !== 'start.ts',
  );
  expect(wrong).toEqual([]);
});

/** Returns each cycle as a list of files. Type imports count. */
function findImportCycles(imports: readonly Import[]): string[][] {
  const targets = new Map<string, Import[]>();
  for (const statement of imports) targets.set(statement.file, [...(targets.get(statement.file) ?? []), statement]);
  const visited = new Set<string>();
  const cycles: string[][] = [];
  function visit(file: string, path: readonly string[]): void {
    if (path.includes(file)) cycles.push(path.slice(path.indexOf(file)));
    if (visited.has(file) || path.includes(file)) return;
    for (const { target } of targets.get(file) ?? []) if (target !== null) visit(target, [...path, file]);
    visited.add(file);
  }
  for (const file of targets.keys()) visit(file, []);
  return cycles;
}

const sourceFolders = ['contract/src', 'sdk/src', 'server/src', 'sandbox/src', 'media/src', 'bench/src', 'web'];

test.each(sourceFolders)('no files of %s import each other in a cycle, not even for types', async (folder) => {
  const imports = await readImports(join(repository, folder));
  expect(imports.length).toBeGreaterThan(0);
  expect(findImportCycles(imports)).toEqual([]);
});

function findFunctionsWithMoreThanFourParameters(name: string, text: string): string[] {
  const { program, errors } = parseSync(name, text);
  expect(errors).toEqual([]);
  const wrong: string[] = [];
  const check = ({ params, start }: { readonly params: readonly unknown[]; readonly start: number }) => {
    if (params.length > 4) wrong.push(`${name}:${text.slice(0, start).split('\n').length}`);
  };
  new Visitor({
    FunctionDeclaration: check,
    FunctionExpression: check,
    ArrowFunctionExpression: check,
    TSDeclareFunction: check,
  }).visit(program);
  return wrong;
}

test('functions, arrow functions and methods with five parameters are detected, also with types and JSX', () => {
  const five = '(a: string, b = 1, { c }: { c: number }, d?: string, ...e: never[])';
  const text = [
    `export async function one${five} {}`,
    `const two = ${five} => <p>{b}</p>;`,
    `class Three {\n  method${five} {}\n}`,
    `const four = (a, b, c, d) => function${five} {};`,
  ].join('\n');
  expect(findFunctionsWithMoreThanFourParameters('x.tsx', text)).toEqual(['x.tsx:1', 'x.tsx:2', 'x.tsx:4', 'x.tsx:6']);
});

test.each(sourceFolders)('no function of %s has more than four parameters', async (folder) => {
  const names = (await readdir(join(repository, folder), { recursive: true })).filter(
    (name) => isSource(name) && !/(^|\/)(node_modules|dist)\//.test(name),
  );
  expect(names.length).toBeGreaterThan(0);
  const wrong = await Promise.all(
    names.map(async (name) =>
      findFunctionsWithMoreThanFourParameters(name, await readFile(join(repository, folder, name), 'utf8')),
    ),
  );
  expect(wrong.flat()).toEqual([]);
});
