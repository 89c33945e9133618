/**
 * The address, or null where the text is none. `URL.canParse` is not to be asked: on Node 20 it says no to names with
 * letters beyond ASCII, as `https://bücher.example`, once it has been called often enough to be compiled.
 */
export function readUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
