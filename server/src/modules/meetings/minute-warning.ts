type Sentence = (minutes: number) => string;

const sentences: Readonly<Record<string, Sentence>> = {
  en: (n) =>
    `The meeting minutes are almost used up: this meeting will end in about ${n} ${n === 1 ? 'minute' : 'minutes'}.`,
  pt: (n) =>
    `Os minutos de reunião estão quase no fim: esta reunião terminará em cerca de ${n} ${n === 1 ? 'minuto' : 'minutos'}.`,
  de: (n) =>
    `Die Besprechungsminuten sind fast aufgebraucht: Diese Besprechung endet in etwa ${n} ${n === 1 ? 'Minute' : 'Minuten'}.`,
  es: (n) =>
    `Los minutos de reunión están a punto de agotarse: esta reunión terminará en unos ${n} ${n === 1 ? 'minuto' : 'minutos'}.`,
  fr: (n) =>
    `Les minutes de réunion sont presque épuisées : cette réunion se terminera dans environ ${n} ${n === 1 ? 'minute' : 'minutes'}.`,
};

/** What is said in a meeting before its minutes are used up, in the language of the locale, else in English. */
export function minuteWarning(locale: string, minutes: number): string {
  const language = locale.toLowerCase().split(/[-_]/, 1)[0] ?? '';
  const sentence = Object.hasOwn(sentences, language) ? sentences[language] : sentences['en'];
  return sentence?.(minutes) ?? '';
}
