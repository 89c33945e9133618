export type CaptionsType = 'text/vtt' | 'application/x-subrip';

export const maxCaptionsBytes = 2_000_000;

/** @returns null for a file that holds no captions */
export function captionsTypeOf(fileName: string): CaptionsType | null {
  const lower = fileName.toLowerCase();
  if (lower.endsWith('.vtt')) return 'text/vtt';
  return lower.endsWith('.srt') ? 'application/x-subrip' : null;
}

/** Why a file cannot be sent; null if it can. */
export function captionsFault({ name, size }: Pick<File, 'name' | 'size'>): string | null {
  if (captionsTypeOf(name) === null) return 'Choose a WebVTT (.vtt) or SubRip (.srt) file.';
  return size > maxCaptionsBytes ? 'The file is larger than 2 MB.' : null;
}

/** The language in a name such as "lesson.pt-BR.vtt", if it is one of the choices. */
export function languageIn(fileName: string, languages: readonly string[]): string | null {
  const [, tag = ''] = /[._-]([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})?)\.(?:vtt|srt)$/i.exec(fileName) ?? [];
  return languages.find((language) => language.toLowerCase() === tag.toLowerCase()) ?? null;
}
