import fc from 'fast-check';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Element, parseXml, XmlFault } from './xml.ts';

async function read(text: string): Promise<unknown> {
  // The parsed objects have no prototype, and toEqual compares prototypes.
  return JSON.parse(JSON.stringify(await parseXml(text)));
}

test('elements, lists, attributes, character references and CDATA sections are read', async () => {
  expect(
    await read(`\ufeff<?xml version="1.0"?> <!-- <x> --> <r a="1 &gt; 0" b='"'>
      <one> Anna&#39;s &amp; <![CDATA[<b> &amp;]]>&#x20AC; </one><many/><many>2</many><many><x>3</x></many>
      <empty></empty><odd.name:-_>a&nbsp;b</odd.name:-_></r><!-- end -->`),
  ).toEqual({
    r: {
      '@a': '1 > 0',
      '@b': '"',
      one: "Anna's & <b> &amp;€",
      many: ['', '2', { x: '3' }],
      empty: '',
      'odd.name:-_': 'a\u00A0b',
    },
  });
});

test('names such as constructor are ordinary member names', async () => {
  const { r } = (await parseXml('<r><__proto__>a</__proto__><constructor>b</constructor></r>')) as { r: Element };
  expect(Object.entries(r)).toEqual([
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ]);
});

test('the items of a list are passed to the callback one by one, but elements with the same name elsewhere are not', async () => {
  const items: unknown[] = [];
  const text =
    '<response><meeting>no</meeting><meetings><meeting><id>1</id><metadata><meeting>x</meeting></metadata></meeting><meeting/></meetings></response>';
  const answer = await parseXml(text, { name: 'meeting', take: (item) => void items.push(item) });
  expect(JSON.parse(JSON.stringify([answer, items]))).toEqual([
    { response: { meeting: 'no', meetings: '' } },
    [{ id: '1', metadata: { meeting: 'x' } }, {}],
  ]);
});

test.each([
  '<a>',
  '<a></b>',
  '</a>',
  '<a/></a>',
  'a<b/>',
  '<a/>b',
  '<a/><b/>',
  `<a ${Array.from({ length: 60 }, (_, index) => `b${index}="c"`).join(' ')}/>`,
  '<a b/>',
  '<a b=c/>',
  '<a b="c/>',
  '<a',
  '<a><!-- </a>',
  '<a><![CDATA[ </a>',
  '<!DOCTYPE a><a/>',
  '<a><!ENTITY b "c"></a>',
  '<a><? </a>',
  '<a>'.repeat(40) + '</a>'.repeat(40),
])('%s is refused', async (text) => {
  await expect(parseXml(text)).rejects.toBeInstanceOf(XmlFault);
});

test('any text results in a document or an XmlFault', async () => {
  const parts = fc.constantFrom(
    '<a>',
    '</a>',
    '<b c="d">',
    '<a/>',
    '<![CDATA[',
    ']]>',
    '<!--',
    '-->',
    '&#0;',
    '&#x110000;',
    '<?',
    ' ',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(parts, fc.string({ unit: 'binary' }))), async (texts) => {
      const outcome = await parseXml(texts.join('')).catch((error: unknown) => error);
      expect(outcome instanceof Error ? outcome instanceof XmlFault : typeof outcome).toBeTruthy();
    }),
  );
});

test('written text is read back unchanged', async () => {
  const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
      expect(await read(`<a><b>${escapeXml(text)}</b></a>`)).toEqual({ a: { b: text.trim() } });
    }),
  );
});

test('an answer with more than 60,000 elements is refused, but a list can have any number of items', async () => {
  await expect(parseXml(`<r>${'<a/>'.repeat(59_999)}</r>`)).resolves.toBeDefined();
  await expect(parseXml(`<r>${'<a/>'.repeat(60_000)}</r>`)).rejects.toBeInstanceOf(XmlFault);
  const list = `<r><l>${'<a><b/></a>'.repeat(50_000)}</l></r>`;
  let items = 0;
  await parseXml(list, { name: 'a', take: () => (items += 1) });
  expect(items).toBe(50_000);
});

test.each([
  ['1,000,000 items of a list', '<a/>'.repeat(1_000_000)],
  ['700,000 character references', `<a>${'&#65;'.repeat(10_000)}</a>`.repeat(70)],
  ['400,000 CDATA sections', `<a>${'<![CDATA[x]]>'.repeat(400_000)}</a>`],
])('the event loop stays free while %s are read', async (_, inner) => {
  const reading = parseXml(`<r><l>${inner}</l></r>`, { name: 'a', take: () => undefined }).then(() => true);
  let turns = 0;
  while (!(await Promise.race([reading, nextTurn(false)]))) turns += 1;
  expect(turns).toBeGreaterThan(3);
});
