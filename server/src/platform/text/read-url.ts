/**
 * The URL, or null. `URL.canParse` is not used: optimized by Node 20, it refuses names outside ASCII such as
 * `https://bücher.example`.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
