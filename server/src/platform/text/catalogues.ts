import de from '../../../texts/de.json' with { type: 'json' };
import en from '../../../texts/en.json' with { type: 'json' };
import es from '../../../texts/es.json' with { type: 'json' };
import fr from '../../../texts/fr.json' with { type: 'json' };
import ptBr from '../../../texts/pt-BR.json' with { type: 'json' };
import pt from '../../../texts/pt.json' with { type: 'json' };
import { bestMatch } from './language.ts';

/** All texts of pages, mails and messages in one language. `{customer}` and the like are placeholders. */
export type Texts = Omit<typeof en, 'direction'> & { readonly direction: 'ltr' | 'rtl' };

/** By language, such as `pt` or `pt-BR`. */
export type Catalogues = ReadonlyMap<string, Texts>;

export const english: Texts = { ...en, direction: 'ltr' };

/**
 * Creates the catalogues of the built-in languages, and of the files that the installation adds. A text that a file
 * leaves out is taken from the built-in catalogue of its language, or from English.
 * @throws TypeError naming a faulty file
 */
export function createCatalogues(addedFiles: ReadonlyMap<string, unknown> = new Map()): Catalogues {
  const builtIn = new Map([en, de, es, fr, pt, ptBr].map((texts) => [texts.language, merge(english, texts)]));
  const catalogues = new Map(builtIn);
  for (const [file, texts] of addedFiles) {
    const { faults } = examineTexts(texts);
    if (faults.length > 0) throw new TypeError(`${file}: ${faults.join(' ')}`);
    const sections = groupIntoSections(texts as Tree);
    const language = typeof sections['language'] === 'string' ? sections['language'] : 'en';
    catalogues.set(language, merge(textsFor(builtIn, language), sections));
  }
  return catalogues;
}

/** The texts for the first locale that a catalogue matches, else English. */
export function textsFor(catalogues: Catalogues, ...locales: readonly (string | null | undefined)[]): Texts {
  for (const locale of locales) {
    const texts = catalogues.get(bestMatch(locale, catalogues.keys()) ?? '');
    if (texts) return texts;
  }
  return english;
}

/** Replaces the placeholders. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/** The form for a number by the plural rules of the language. */
export function pluralForm(language: string, forms: PluralForms, count: number): string {
  return forms[new Intl.PluralRules(language).select(count)] ?? forms.other;
}

interface Tree {
  readonly [name: string]: string | Tree;
}

const languageCode = /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?$/;
const pluralCategory = /\.(zero|one|two|few|many)$/;

/** Every text of the English catalogue by its path, such as `room.signIn.title`. */
const englishTexts: ReadonlyMap<string, unknown> = new Map(leavesOf(en));

/** The faults of a catalogue, and its missing texts. */
export function examineTexts(catalogue: unknown): { faults: string[]; missing: string[] } {
  if (typeof catalogue !== 'object' || catalogue === null)
    return { faults: ['A catalogue must be an object.'], missing: [] };
  const texts = groupIntoSections(catalogue as Tree);
  const faults = [];
  const { language } = texts;
  if (typeof language !== 'string' || !languageCode.test(language))
    faults.push('language must be a code such as "it" or "zh-TW".');
  if (typeof texts['languageName'] !== 'string') faults.push('languageName is required.');
  if (!['ltr', 'rtl', undefined].includes(texts['direction'] as string)) faults.push('direction must be ltr or rtl.');
  const leaves = new Map(leavesOf(texts));
  for (const [path, text] of leaves) {
    const other = path.replace(pluralCategory, '.other');
    const original = englishTexts.get(path) ?? englishTexts.get(other);
    if (typeof original !== 'string') faults.push(`${path} is not a known text.`);
    else if (englishTexts.has(other) && !leaves.has(other)) faults.push(`${other} is required.`);
    else if (typeof text !== 'string' || text === '') faults.push(`${path} must be a text.`);
    else if (placeholdersIn(text) !== placeholdersIn(original))
      faults.push(`${path} must contain ${placeholdersIn(original) || 'no placeholder'}.`);
  }
  return { faults, missing: [...englishTexts.keys()].filter((path) => !leaves.has(path)) };
}

/** Texts of the room pages can be at the top level instead of in `room`. */
function groupIntoSections(texts: Tree): Tree {
  const isRoomText = (name: string) => !Object.hasOwn(en, name) && Object.hasOwn(en.room, name);
  const entries = Object.entries(texts);
  const room = entries.filter(([name]) => isRoomText(name));
  if (room.length === 0) return texts;
  const section = typeof texts['room'] === 'object' ? texts['room'] : {};
  return {
    ...Object.fromEntries(entries.filter(([name]) => !isRoomText(name))),
    room: { ...Object.fromEntries(room), ...section },
  };
}

function leavesOf(texts: Tree, prefix = ''): [string, unknown][] {
  return Object.entries(texts).flatMap(([name, text]) =>
    typeof text === 'object' && text !== null
      ? leavesOf(text, `${prefix}${name}.`)
      : [[`${prefix}${name}`, text] satisfies [string, unknown]],
  );
}

function placeholdersIn(text: string): string {
  return [...new Set(text.match(/\{\w+\}/g))].sort().join(' ');
}

function merge(original: Texts, texts: Tree): Texts {
  return mergeTrees(original, texts) as unknown as Texts;
}

/** Plural forms are replaced as a whole: languages have different categories. */
function mergeTrees(original: Tree, texts: Tree): Tree {
  return Object.fromEntries(
    Object.entries(original).map(([name, text]) => {
      const replacement = texts[name];
      const isPlural = typeof text === 'object' && 'other' in text;
      return [
        name,
        typeof text === 'object' && !isPlural
          ? mergeTrees(text, typeof replacement === 'object' ? replacement : {})
          : (replacement ?? text),
      ];
    }),
  );
}
