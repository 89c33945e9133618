import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Target, isStale, takeStamp, targets, writeStamp } from '../targets.mjs';

let folder: string;
let target: Target;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'foyer-targets-'));
  mkdirSync(join(folder, 'src/deep'), { recursive: true });
  write('src/main.ts', 'main');
  write('src/deep/rule.ts', 'rule');
  write('lock.json', '{}');
  target = {
    entry: join(folder, 'src/main.ts'),
    output: join(folder, 'dist/main.js'),
    sources: [join(folder, 'src'), join(folder, 'lock.json'), join(folder, 'missing')],
  };
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('a target is stale until it is built', () => {
  expect(isStale(target)).toBe(true);
  build();
  expect(isStale(target)).toBe(false);
});

test('a target without its output is stale', () => {
  build();
  rmSync(target.output);
  expect(isStale(target)).toBe(true);
});

test.each([
  ['a changed file', () => write('src/deep/rule.ts', 'RULE')],
  ['a new file', () => write('src/deep/another.ts', '')],
  ['a removed file', () => rmSync(join(folder, 'src/deep/rule.ts'))],
  ['a changed source that is a file', () => write('lock.json', '[]')],
])('%s makes a target stale', (_, change) => {
  build();
  change();
  expect(isStale(target)).toBe(true);
});

test.each([
  ['a touched file', () => utimesSync(join(folder, 'src/main.ts'), 1, 1)],
  ['a changed test', () => write('src/deep/rule.test.ts', 'test')],
  ['a folder of tests', () => write('src/test/page.ts', 'test')],
  ['an output among the sources', () => write('src/dist/page.ts', 'built')],
])('%s does not make a target stale', (_, change) => {
  build();
  change();
  expect(isStale(target)).toBe(false);
  expect(isStale(target)).toBe(false);
});

test('a source that changes while it is built leaves the target stale', () => {
  const stamp = takeStamp(target);
  write('dist/main.js', 'built');
  write('src/main.ts', 'changed meanwhile');
  writeStamp(target, stamp);
  expect(isStale(target)).toBe(true);
});

test('a target without sources, as in an installation that has only the output, is never stale', () => {
  build();
  rmSync(join(folder, 'src'), { recursive: true });
  expect(isStale(target)).toBe(false);
});

test('a damaged stamp makes a target stale', () => {
  build();
  write('dist/.foyer-build.json', '{');
  expect(isStale(target)).toBe(true);
});

test('the bundle of the server depends on all of its sources', () => {
  const sources = targets.server.sources.join(' ');
  for (const part of ['server/src', 'contract/src', 'sandbox/src', 'package-lock.json'])
    expect(sources).toContain(part);
});

function build(): void {
  const stamp = takeStamp(target);
  write('dist/main.js', 'built');
  writeStamp(target, stamp);
}

function write(path: string, text: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
}
