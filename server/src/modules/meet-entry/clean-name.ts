/**
 * One line, without control characters and without those that turn the direction of what follows; `''` where nothing
 * could be seen of it.
 */
export function cleanName(text: string): string {
  const name = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replaceAll(/[\u202A-\u202E\u2066-\u2069]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();
  // Fillers and the blank of Braille count as letters and symbols.
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(name.replaceAll(/[\p{Default_Ignorable_Code_Point}\u2800]/gu, '')) ? name : '';
}
