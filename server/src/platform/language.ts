/** The languages that pages and mails are written in. */
export type Language = 'en' | 'pt' | 'de' | 'es' | 'fr';

const languages: readonly string[] = ['en', 'pt', 'de', 'es', 'fr'] satisfies Language[];

/** The language of the first locale that is among ours; else English. */
export function languageOf(...locales: readonly (string | null | undefined)[]): Language {
  for (const locale of locales) {
    const language = locale?.split(/[-_]/, 1)[0]?.toLowerCase();
    if (language !== undefined && languages.includes(language)) return language as Language;
  }
  return 'en';
}
