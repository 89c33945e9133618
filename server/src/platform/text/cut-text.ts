/** The longest name, in characters. */
export const maxNameLength = 150;

/** The first characters of a text, never half of a surrogate pair. */
export function cutText(text: string, maxLength: number): string {
  return [...text].slice(0, maxLength).join('').trim();
}
