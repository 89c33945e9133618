import type { EntryRefusal } from '@foyer/contract/resources/room-entry.ts';
import { bestMatch } from '../../../platform/text/language.ts';
import { acceptedLocales } from '../../../platform/time/relative-time.ts';
import { refusalSentences, refusalTexts } from '../../room-access/index.ts';
import de from './texts/de.json' with { type: 'json' };
import en from './texts/en.json' with { type: 'json' };
import es from './texts/es.json' with { type: 'json' };
import fr from './texts/fr.json' with { type: 'json' };
import ptBr from './texts/pt-BR.json' with { type: 'json' };
import pt from './texts/pt.json' with { type: 'json' };

/** Everything that the room pages say, in one language; `{customer}` and the like stand for what is filled in. */
export type PageTexts = Omit<typeof en, 'direction' | 'refusalTitles'> &
  typeof refusalTexts & {
    readonly direction: 'ltr' | 'rtl';
    readonly refusalTitles: Readonly<Partial<Record<EntryRefusal, string>>>;
    readonly refusals: Readonly<Record<EntryRefusal, string>>;
  };

/** By language, as `pt` or `pt-BR`. */
export type Catalogues = ReadonlyMap<string, PageTexts>;

const english: PageTexts = { ...en, ...refusalTexts, direction: 'ltr', refusals: refusalSentences };

/** Ours, and those that the installation adds or puts in place of ours. @throws TypeError naming what cannot be used. */
export function cataloguesWith(added: ReadonlyMap<string, unknown> = new Map()): Catalogues {
  const catalogues = new Map<string, PageTexts>([['en', english]]);
  for (const each of [de, es, fr, pt, ptBr]) catalogues.set(each.language, completed(each));
  for (const [file, texts] of added) {
    const { faults } = examineTexts(texts);
    if (faults.length > 0) throw new TypeError(`${file}: ${faults.join(' ')}`);
    const usable = completed(texts);
    catalogues.set(usable.language, usable);
  }
  return catalogues;
}

/**
 * The texts in the language that the visitor chose, or likes best among those there are; else in the platform's, else
 * in English. Those of the visitor's region go before those without one.
 */
export function textsFor(
  catalogues: Catalogues,
  { chosen, accepted, system }: { chosen: string | undefined; accepted: string | undefined; system: string },
): PageTexts {
  for (const locale of [chosen, ...acceptedLocales(accepted), system]) {
    const texts = catalogues.get(bestMatch(locale, catalogues.keys()) ?? '');
    if (texts) return texts;
  }
  return english;
}

/** The text with what it names filled in. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

type Texts = { readonly [name: string]: string | Texts };

/** Every text that a catalogue may have, by its path. */
const model = new Map(leavesOf(english));
const languageNames = /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?$/;

/** What speaks against a catalogue, and which texts it leaves to English. */
export function examineTexts(given: unknown): { faults: string[]; missing: string[] } {
  if (typeof given !== 'object' || given === null) return { faults: ['A catalogue is an object.'], missing: [] };
  const texts = given as Texts;
  const faults = [];
  const { language } = texts;
  if (typeof language !== 'string' || !languageNames.test(language))
    faults.push('language must be a code such as "it" or "zh-TW".');
  if (typeof texts['languageName'] !== 'string') faults.push('languageName is required.');
  if (!['ltr', 'rtl', undefined].includes(texts['direction'] as string)) faults.push('direction must be ltr or rtl.');
  const leaves = new Map(leavesOf(texts));
  for (const [path, text] of leaves) {
    const original = model.get(path);
    if (original === undefined) faults.push(`${path} is no text of the pages.`);
    else if (typeof text !== 'string' || text === '') faults.push(`${path} must be a text.`);
    else if (namesIn(text) !== namesIn(original)) faults.push(`${path} must hold ${namesIn(original) || 'no name'}.`);
  }
  return { faults, missing: [...model.keys()].filter((path) => !leaves.has(path)) };
}

function leavesOf(texts: Texts, before = ''): [string, string][] {
  return Object.entries(texts).flatMap(([name, text]) =>
    typeof text === 'object' && text !== null ? leavesOf(text, `${before}${name}.`) : [[`${before}${name}`, text]],
  );
}

function namesIn(text: string): string {
  return [...new Set(text.match(/\{\w+\}/g))].sort().join(' ');
}

function completed(texts: unknown): PageTexts {
  return merge(english, texts as Texts) as unknown as PageTexts;
}

function merge(whole: Texts, part: Texts): Texts {
  return Object.fromEntries(
    Object.entries(whole).map(([name, text]) => {
      const own = part[name];
      return [name, typeof text === 'object' ? merge(text, typeof own === 'object' ? own : {}) : (own ?? text)];
    }),
  );
}
