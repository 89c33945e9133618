import type { FastifyRequest } from 'fastify';
import type { Settings } from '../settings.ts';
import { type Catalogues, type Texts, textsFor } from '../text/catalogues.ts';
import { acceptedLocales } from '../time/relative-time.ts';
import { brandOf, type PageFrame } from './page-layout.tsx';

export interface TextFrame extends PageFrame {
  readonly texts: Texts;
}

/** The platform's brand, with the texts in the language that the browser requests, else the platform's. */
export function textFrameFor(
  { catalogues, settings, publicUrl }: FrameSources,
  { headers }: Pick<FastifyRequest, 'headers'>,
): TextFrame {
  const locales = [...acceptedLocales(headers['accept-language']), settings().system_locale];
  return { ...brandOf(settings(), publicUrl()), texts: textsFor(catalogues, ...locales) };
}

export interface FrameSources {
  readonly catalogues: Catalogues;
  readonly settings: () => Settings;
  readonly publicUrl: () => string;
}
