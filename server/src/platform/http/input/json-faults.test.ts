import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faultOfJson } from './json-faults.ts';

test('JSON without repeated members has no fault, with any white space and escapes', async () => {
  const indents = fc.constantFrom(undefined, 1, '\t');
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), indents, async (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const escaped = text.replaceAll(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
      expect([text, await faultOfJson(text), await faultOfJson(escaped)]).toEqual([text, null, null]);
    }),
  );
});

test('a member that is repeated in one object is named, whatever its name and value', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.jsonValue({ maxDepth: 3 }), async (name, value) => {
      const member = `${JSON.stringify(name)} : ${JSON.stringify(value)}`;
      expect(await faultOfJson(`[1, {${member}}, {${member} ,${member}}]`)).toMatch(
        /^The member ".*" is sent twice\.$/s,
      );
      expect(await faultOfJson(`[{${member}}, {${member}}]`)).toBeNull();
    }),
  );
});

test('a missing name is not reported as a repeated member', async () => {
  for (const text of ['{"a":1, :2}', '{"a"::2}']) expect(await faultOfJson(text)).toBe('The body is not valid JSON.');
});

test('the scan of invalid JSON terminates', async () => {
  const texts = fc.string({ unit: fc.constantFrom(...'{}[]:,"\\ a1\n\u00a0') });
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      await faultOfJson(text);
    }),
  );
});

test('other work runs while a long body is scanned', async () => {
  const megabyte = 1_048_576;
  for (const text of ['[1,2]'.padStart(8 * megabyte), `[${'"\\n",'.repeat(190_000)}1]`]) {
    let othersRan = 0;
    let isDone = false;
    const runOther = () => {
      othersRan += 1;
      if (!isDone) setImmediate(runOther);
    };
    setImmediate(runOther);
    expect(await faultOfJson(text)).toBeNull();
    isDone = true;
    expect(othersRan).toBeGreaterThanOrEqual(text.startsWith(' ') ? 1 : 5);
  }
});
