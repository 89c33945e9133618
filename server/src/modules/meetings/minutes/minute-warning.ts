import { type Language, languageOf } from '../../../platform/text/language.ts';

type Sentence = (minutes: number) => string;

const sentences: Readonly<Record<Language, Sentence>> = {
  en: (n) =>
    `The meeting minutes are almost used up: this meeting will end in about ${n} ${n === 1 ? 'minute' : 'minutes'}.`,
  pt: (n) =>
    `Os minutos de reunião estão quase esgotados: esta reunião terminará dentro de cerca de ${n} ${n === 1 ? 'minuto' : 'minutos'}.`,
  'pt-BR': (n) =>
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
  return sentences[languageOf(locale)](minutes);
}
