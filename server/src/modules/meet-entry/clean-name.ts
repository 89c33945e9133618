/** One line without control characters and bidirectional overrides; `''` if no visible character is left. */
export function cleanName(text: string): string {
  const name = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replaceAll(/[\u202A-\u202E\u2066-\u2069]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();
  // Hangul fillers and the Braille blank are invisible, but count as letters and symbols.
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(name.replaceAll(/[\p{Default_Ignorable_Code_Point}\u2800]/gu, '')) ? name : '';
}
