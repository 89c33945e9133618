import { expect, test } from 'vitest';
import {
  createCatalogues,
  english,
  examineTexts,
  fill,
  pluralForm,
  textsFor,
} from '../src/platform/text/catalogues.ts';

const builtIn = createCatalogues();
const files = import.meta.glob<Record<string, unknown>>('../texts/*.json', { eager: true, import: 'default' });
/** Paths of texts that can be the same as in English. */
const sharedPaths =
  /^(language|direction)$|resources\.|\.code$|title$|mail\.action$|state$|help$|email$|recordingLength$|broadcast\.live$/i;

function leavesOf(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  return Object.entries(value ?? {}).flatMap(([name, child]) =>
    leavesOf(child, path === '' ? name : `${path}.${name}`),
  );
}

const englishTexts = new Map(leavesOf(english));

test('every file in texts/ is a built-in language', () => {
  const languages = Object.keys(files).map((file) => /([^/]+)\.json$/.exec(file)?.[1]);
  expect(new Set(languages)).toEqual(new Set(builtIn.keys()));
});

test.each(Object.entries(files).filter(([file]) => !file.endsWith('/en.json')))(
  '%s has every text of en.json with the same placeholders, and no text is untranslated',
  (file, texts) => {
    expect(file.endsWith(`/${texts['language'] as string}.json`)).toBe(true);
    expect(examineTexts(texts)).toEqual({ faults: [], missing: [] });
    const untranslated = leavesOf(texts).filter(
      ([path, text]) => !sharedPaths.test(path) && text === englishTexts.get(path),
    );
    expect(untranslated).toEqual([]);
  },
);

test('European Portuguese has no Brazilian words, and Brazilian Portuguese no European ones', () => {
  const textOf = (language: string) =>
    leavesOf(builtIn.get(language))
      .map(([, text]) => text)
      .join('\n');
  expect(textOf('pt').match(/\b(você|senha|link|câmera|usuários?|tela|login|conectado|registro)\b/giu)).toBeNull();
  expect(
    textOf('pt-BR').match(/\b(palavra-passe|ligação|câmara|utilizador\w*|ecrã|apelido|registo|sido aceite)\b/giu),
  ).toBeNull();
});

test.each([
  ['pt', 'pt'],
  ['pt-PT', 'pt'],
  ['pt-AO', 'pt'],
  ['pt_MZ', 'pt'],
  ['pt-BR', 'pt-BR'],
  ['PT_br', 'pt-BR'],
  ['pt-Latn-BR', 'pt-BR'],
  ['de-CH-1996', 'de'],
  ['es-419', 'es'],
  ['ja', 'en'],
  ['port', 'en'],
  ['*', 'en'],
  ['', 'en'],
  [null, 'en'],
  ['constructor', 'en'],
])('a reader with the locale %s gets the texts in %s', (locale, language) => {
  expect(textsFor(builtIn, locale).language).toBe(language);
});

test('the texts are in the first locale that has a catalogue', () => {
  expect(textsFor(builtIn, 'ja', null, 'pt-BR', 'de').language).toBe('pt-BR');
});

test('an added language has the texts of its file, and English for missing texts', () => {
  const catalogues = createCatalogues(
    new Map([['ar.json', { language: 'ar', languageName: 'العربية', direction: 'rtl', room: { name: 'اسمك' } }]]),
  );
  const { direction, room, invitation } = textsFor(catalogues, 'ar');
  expect([direction, room.name, room.enter]).toEqual(['rtl', 'اسمك', english.room.enter]);
  expect(invitation).toEqual(english.invitation);
  expect([...catalogues.keys()].sort()).toEqual(['ar', 'de', 'en', 'es', 'fr', 'pt', 'pt-BR']);
});

test('texts of the room pages can be at the top level of a file', () => {
  const texts = {
    language: 'it',
    languageName: 'Italiano',
    enter: 'Entra',
    signIn: { title: 'Accedi' },
    help: 'Aiuto',
  };
  const { room, help } = textsFor(createCatalogues(new Map([['it.json', texts]])), 'it');
  expect([room.enter, room.signIn.title, room.signIn.lead, help]).toEqual([
    'Entra',
    'Accedi',
    english.room.signIn.lead,
    'Aiuto',
  ]);
});

test('a file can change one text of a built-in language', () => {
  const texts = { language: 'de', languageName: 'Deutsch', room: { enter: 'Hereinspaziert' } };
  const german = textsFor(createCatalogues(new Map([['de.json', texts]])), 'de');
  expect(german.room).toEqual({ ...builtIn.get('de')?.room, enter: 'Hereinspaziert' });
  expect(german.invitation).toEqual(builtIn.get('de')?.invitation);
});

test('readers of a region get the texts for their region, and other readers get the texts of the language', () => {
  const catalogues = createCatalogues(
    new Map([['es-MX.json', { language: 'es-MX', languageName: 'Español (México)', room: { name: 'Tu nombre' } }]]),
  );
  const name = (...locales: string[]) => textsFor(catalogues, ...locales).room.name;
  expect(textsFor(catalogues, 'es-MX').invitation).toEqual(builtIn.get('es')?.invitation);
  const spanish = builtIn.get('es')?.room.name;
  expect([name('es-MX'), name('es-mx', 'en'), name('es'), name('es-AR')]).toEqual([
    'Tu nombre',
    'Tu nombre',
    spanish,
    spanish,
  ]);
});

test('an added language has the plural forms of its own rules', () => {
  const minutesLeft = { one: '{minutes} minuta', few: '{minutes} minuty', other: '{minutes} minut' };
  const texts = { language: 'pl', languageName: 'Polski', meeting: { minutesLeft } };
  const { meeting } = textsFor(createCatalogues(new Map([['pl.json', texts]])), 'pl');
  const text = (minutes: number) => fill(pluralForm('pl', meeting.minutesLeft, minutes), { minutes });
  expect([text(1), text(2), text(5)]).toEqual(['1 minuta', '2 minuty', '5 minut']);
});

const italian = { language: 'it', languageName: 'Italiano' };

test.each([
  ['that is not an object', null, 'A catalogue must be an object.'],
  ['without a language', { languageName: 'x' }, 'language must be a code'],
  ['with a malformed region', { language: 'it_IT', languageName: 'x' }, 'language must be a code'],
  ['without the name of its language', { language: 'it' }, 'languageName is required.'],
  ['with an unknown text', { ...italian, nome: 'x' }, 'nome is not a known text.'],
  ['with an unknown section', { ...italian, stanza: { name: 'x' } }, 'stanza.name is not a known text.'],
  ['with the name of an object method', { ...italian, constructor: 'x' }, 'constructor is not a known text.'],
  ['with a number as a text', { ...italian, name: 7 }, 'room.name must be a text.'],
  ['with a list as a text', { ...italian, room: { name: ['x'] } }, 'room.name.0 is not a known text.'],
  ['with a text in place of a section', { ...italian, mail: 'x' }, 'mail is not a known text.'],
  ['without a placeholder', { ...italian, room: { waitingAs: 'x' } }, 'room.waitingAs must contain {name}.'],
  ['with an unknown placeholder', { ...italian, help: '{x}' }, 'help must contain no placeholder.'],
  ['with an unknown direction', { ...italian, direction: 'up' }, 'direction must be ltr or rtl.'],
  [
    'without the plural form for other numbers',
    { ...italian, meeting: { minutesLeft: { one: '{minutes} minuto' } } },
    'meeting.minutesLeft.other is required.',
  ],
])('a catalogue %s is rejected with its file name and the reason', (_fault, texts, sentence) => {
  expect(examineTexts(texts).faults.join(' ')).toContain(sentence);
  expect(() => createCatalogues(new Map([['it.json', texts]]))).toThrow('it.json');
});
