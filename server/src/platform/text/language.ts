/** The languages that pages and mails are written in; `pt` is that of Portugal. */
export const languages = ['en', 'pt', 'pt-BR', 'de', 'es', 'fr'] as const;
export type Language = (typeof languages)[number];

/** What people like to read: one of ours that fits the first locale that any fits; else English. */
export function languageOf(...locales: readonly (string | null | undefined)[]): Language {
  for (const locale of locales) {
    const language = fitting(locale, languages);
    if (language !== undefined) return language;
  }
  return 'en';
}

/**
 * Among languages as `pt` and `pt-BR` the one for a locale: that of its region, else the one without a region, else that
 * of another region. Undefined where nothing is in that language, or the locale is none.
 */
export function fitting<T extends string>(locale: string | null | undefined, among: Iterable<T>): T | undefined {
  const wanted = tagsOf(locale);
  if (wanted === null) return undefined;
  const known = [...among];
  return (
    wanted.map((tag) => known.find((each) => each === tag)).find((each) => each !== undefined) ??
    known.find((each) => each.startsWith(`${wanted.at(-1)}-`))
  );
}

/** What a locale may be called, the most exact first: `['pt-Latn-BR', 'pt-BR', 'pt-Latn', 'pt']`. */
function tagsOf(locale: string | null | undefined): string[] | null {
  if (!locale || locale.length > 35) return null;
  try {
    const { language, script, region } = new Intl.Locale(locale.replaceAll('_', '-'));
    const tags = [[language, script, region], [language, region], [language, script], [language]];
    return [...new Set(tags.map((parts) => parts.filter((part) => part !== undefined).join('-')))];
  } catch {
    return null;
  }
}
