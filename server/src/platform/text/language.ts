/**
 * The best match for a locale among languages such as `pt` and `pt-BR`: the language of its region, else the one
 * without a region, else the one of another region. Undefined if there is none.
 */
export function bestMatch<T extends string>(locale: string | null | undefined, languages: Iterable<T>): T | undefined {
  const tags = tagsOf(locale);
  if (tags === null) return undefined;
  const available = [...languages];
  return (
    tags.map((tag) => available.find((candidate) => candidate === tag)).find((match) => match !== undefined) ??
    available.find((candidate) => candidate.startsWith(`${tags.at(-1)}-`))
  );
}

/** The tags of a locale, the most specific first: `['pt-Latn-BR', 'pt-BR', 'pt-Latn', 'pt']`. */
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
