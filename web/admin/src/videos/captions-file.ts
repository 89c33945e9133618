export type CaptionsType = 'text/vtt' | 'application/x-subrip';

export const maxCaptionsBytes = 2_000_000;

/** @returns null if the extension is not that of a captions file */
export function captionsTypeOf(fileName: string): CaptionsType | null {
  const lowerName = fileName.toLowerCase();
  if (lowerName.endsWith('.vtt')) return 'text/vtt';
  return lowerName.endsWith('.srt') ? 'application/x-subrip' : null;
}

/** Why a file cannot be sent; null if it can. */
export function captionsFault({ name, size }: Pick<File, 'name' | 'size'>): string | null {
  if (captionsTypeOf(name) === null) return 'Choose a WebVTT (.vtt) or SubRip (.srt) file.';
  return size > maxCaptionsBytes ? 'The file is larger than 2 MB.' : null;
}

/** The language in a file name such as "lesson.pt-BR.vtt"; null if it is not one of `languages`. */
export function findLanguage(fileName: string, languages: readonly string[]): string | null {
  const [, tag = ''] = /[._-]([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})?)\.(?:vtt|srt)$/i.exec(fileName) ?? [];
  return languages.find((language) => language.toLowerCase() === tag.toLowerCase()) ?? null;
}
