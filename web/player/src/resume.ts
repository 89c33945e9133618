/** The positions at which the viewer stopped are stored only in the browser. */
const prefix = 'foyer-position-';

export function positionOf(videoId: string): number {
  try {
    return Number(localStorage.getItem(prefix + videoId) ?? 0);
  } catch {
    return 0;
  }
}

export function keepPosition(videoId: string, seconds: number): void {
  try {
    if (seconds > 5) localStorage.setItem(prefix + videoId, String(Math.floor(seconds)));
  } catch {
    // The browser does not allow storage.
  }
}

export function forgetPosition(videoId: string): void {
  try {
    localStorage.removeItem(prefix + videoId);
  } catch {
    // The browser does not store the position.
  }
}
