import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'vite';
import { expect, test } from 'vitest';
import { modules as manifests } from '../src/modules.ts';

const source = fileURLToPath(new URL('../src/', import.meta.url));
const workspaces = fileURLToPath(new URL('../../', import.meta.url));

/** Parts may import the parts to their left. */
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

/** Modules may import the index of the modules to their left. */
const modules = manifests.map(({ name }) => name);

interface Import {
  readonly file: string;
  readonly specifier: string;
  readonly target: string | null;
}

function isSource(name: string): boolean {
  return /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name);
}

async function importsBelow(folder: string): Promise<Import[]> {
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

function rank(path: string): number {
  const [first = ''] = path.split('/');
  return order.findIndex((names) => names.includes(first));
}

test('every folder and file of the server has a position in the import order', async () => {
  const names = (await readdir(source)).filter((name) => !name.endsWith('.test.ts'));
  expect(names.filter((name) => rank(name) < 0)).toEqual([]);
  expect((await readdir(join(source, 'modules'))).toSorted()).toEqual(modules.toSorted());
});

test('imports run in one direction only', async () => {
  const wrong = (await importsBelow(source)).filter(({ file, target }) => {
    return target !== null && rank(target) > rank(file);
  });
  expect(wrong.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
});

test('a module imports only earlier modules, and only through their index', async () => {
  const wrong = (await importsBelow(source)).filter(({ file, target }) => {
    const [folder, ownModule = ''] = file.split('/');
    if (!target?.startsWith('modules/')) return false;
    const [, other = '', entry = ''] = target.split('/');
    if (folder === 'modules' && ownModule === other) return false;
    return entry !== 'index.ts' || (folder === 'modules' && modules.indexOf(other) > modules.indexOf(ownModule));
  });
  expect(wrong.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
});

test('importing a file does nothing: its top-level statements are declarations', async () => {
  const declaration =
    /^(?:(?:import|export|const|let|class|interface|type|declare) |(?:async )?function[ *]|(?:export|import) ?\{)/;
  const inside = /^(?:\s|[)}\]`>]|\/\/|\/\*|$)/;
  const names = (await readdir(source, { recursive: true })).filter((name) => isSource(name) && name !== 'main.ts');
  const statements = await Promise.all(
    names.map(async (name) => {
      const text = (await readFile(join(source, name), 'utf8')).replace(/`(?:[^`\\]|\\.)*`/gs, '``');
      const wrong = text.split('\n').filter((line) => !declaration.test(line) && !inside.test(line));
      return wrong.map((line) => `${name}: ${line}`);
    }),
  );
  expect(statements.flat()).toEqual([]);
});

test('no routes, jobs, relations or gauges of a module are missing from its manifest', async () => {
  const roles = {
    'routes.ts': 'routes',
    'jobs.ts': 'jobs',
    'relations.ts': 'relations',
    'gauges.ts': 'gauges',
  } as const;
  const missing = await Promise.all(
    manifests.map(async (manifest) => {
      const files = (await readdir(join(source, 'modules', manifest.name), { recursive: true })).map((file) =>
        basename(file),
      );
      return Object.entries(roles)
        .filter(([file, role]) => files.includes(file) && manifest[role] === undefined)
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

const rules = [
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

test('rules import no clock, no database and nothing else with input or output', async () => {
  const allowed = /^(?:@foyer\/contract\/|(?:\.\.\/){2,3}platform\/(?:time\/calendar-date|failures)\.ts$|\.\/)/;
  const wrong = (await importsBelow(source)).filter(
    ({ file, specifier }) => rules.includes(file) && !allowed.test(specifier),
  );
  expect(wrong.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
});

test('only the configuration and the command line read the environment', async () => {
  const names = await readdir(source, { recursive: true });
  const readers = await Promise.all(
    names
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
      .map(async (name) => ((await readFile(join(source, name), 'utf8')).includes('process.env') ? name : null)),
  );
  expect(readers.filter((name) => name !== null && !name.startsWith('database/embedded'))).toEqual(['main.ts']);
});

test('only providers connect to meeting servers, and only webhooks to other servers', async () => {
  const wrong = (await importsBelow(source)).filter(
    ({ file, specifier }) => specifier === 'undici' && !/^(?:providers|modules\/webhooks\/requests)\//.test(file),
  );
  expect(wrong).toEqual([]);
});

test('only the stores of a module write its tables', async () => {
  const writes =
    /(?:insertInto|updateTable|deleteFrom|rowStore(?:<[^>]*>)?|recordStore|removeUnlocked\(\s*\w+,)\(?\s*'(\w+)'[,)]|\b(?:insert into|delete from)\s+(\w+)|\bupdate\s+(\w+)\s+(?:\w+\s+)?set\b/g;
  const writers = new Map<string, Set<string>>();
  const names = await readdir(join(source, 'modules'), { recursive: true });
  for (const name of names.filter((fileName) => /\.tsx?$/.test(fileName) && !fileName.includes('.test.'))) {
    const text = await readFile(join(source, 'modules', name), 'utf8');
    for (const [, built, inserted, updated] of text.matchAll(writes)) {
      const table = built ?? inserted ?? updated ?? '';
      writers.set(table, (writers.get(table) ?? new Set<string>()).add(name.split('/')[0] ?? ''));
    }
  }
  const shared = [...writers]
    .filter(([, owners]) => owners.size > 1)
    .map(([table, owners]) => `${table}: ${[...owners].join(', ')}`);
  expect(shared).toEqual([]);
});

test('workspaces depend in one direction: contract, sdk, web; contract, server; sandbox and media on none', async () => {
  const allowed: Record<string, readonly string[]> = {
    'contract/src': [],
    'sdk/src': ['contract'],
    'sandbox/src': [],
    'media/src': [],
    web: ['contract', 'sdk'],
    'server/src': ['contract', 'sandbox'],
  };
  for (const [folder, others] of Object.entries(allowed)) {
    const [name] = folder.split('/');
    const imports = await importsBelow(join(workspaces, folder));
    const forbidden = imports.filter(({ specifier, target }) => {
      const [, other] = /^@foyer\/([a-z]+)/.exec(specifier) ?? [];
      const leavesSources = target?.startsWith('..') && !target.startsWith('../texts/');
      return (other !== undefined && other !== name && !others.includes(other)) || leavesSources;
    });
    expect(forbidden.map(({ file, specifier }) => `${folder}/${file} imports ${specifier}`)).toEqual([]);
  }
});

test('the kit of the web apps imports nothing from an app and refers to none of its nouns', async () => {
  const imports = await importsBelow(join(workspaces, 'web/kit'));
  const nouns =
    /^@foyer\/contract\/resources\/(?!packages\/(?:features|feature-value|feature-definition)\.ts$|providers\/provider-types\.ts$)/;
  const wrong = imports.filter(
    ({ file, specifier, target }) => target?.startsWith('..') || (nouns.test(specifier) && !file.startsWith('test/')),
  );
  expect(wrong.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
});

test('only the start script imports the sandbox', async () => {
  const wrong = (await importsBelow(source)).filter(
    ({ file, specifier }) => specifier.startsWith('@foyer/sandbox') && file !== 'start.ts',
  );
  expect(wrong).toEqual([]);
});

/** Each cycle as a list of files; type imports count. */
function importCycles(imports: readonly Import[]): string[][] {
  const targets = new Map<string, Import[]>();
  for (const statement of imports) targets.set(statement.file, [...(targets.get(statement.file) ?? []), statement]);
  const done = new Set<string>();
  const cycles: string[][] = [];
  function visit(file: string, path: readonly string[]): void {
    if (path.includes(file)) cycles.push(path.slice(path.indexOf(file)));
    if (done.has(file) || path.includes(file)) return;
    for (const { target } of targets.get(file) ?? []) if (target !== null) visit(target, [...path, file]);
    done.add(file);
  }
  for (const file of targets.keys()) visit(file, []);
  return cycles;
}

const sources = ['contract/src', 'sdk/src', 'server/src', 'sandbox/src', 'media/src', 'bench/src', 'web'];

test.each(sources)('no files of %s import each other in a cycle, not even for types', async (folder) => {
  const imports = await importsBelow(join(workspaces, folder));
  expect(imports.length).toBeGreaterThan(0);
  expect(importCycles(imports)).toEqual([]);
});

function functionsWithMoreThanFourParameters(name: string, text: string): string[] {
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
  expect(functionsWithMoreThanFourParameters('x.tsx', text)).toEqual(['x.tsx:1', 'x.tsx:2', 'x.tsx:4', 'x.tsx:6']);
});

test.each(sources)('no function of %s has more than four parameters', async (folder) => {
  const names = (await readdir(join(workspaces, folder), { recursive: true })).filter(
    (name) => isSource(name) && !/(^|\/)(node_modules|dist)\//.test(name),
  );
  expect(names.length).toBeGreaterThan(0);
  const wrong = await Promise.all(
    names.map(async (name) =>
      functionsWithMoreThanFourParameters(name, await readFile(join(workspaces, folder, name), 'utf8')),
    ),
  );
  expect(wrong.flat()).toEqual([]);
});
