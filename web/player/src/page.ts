/** The texts of the page, in its language. */
export interface Texts {
  readonly loading: string;
  readonly waiting: string;
  readonly reconnecting: string;
  readonly empty: string;
  readonly offline: string;
  readonly search: string;
  readonly noMatch: string;
  readonly playlist: string;
  readonly download: string;
  readonly back: string;
  readonly refusals: Readonly<Record<Refusal, { readonly title: string; readonly sentence: string }>>;
}

export type Refusal = 'ended' | 'revoked' | 'closed';

export interface Video {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly duration_seconds: number | null;
  readonly hls_url: string;
  readonly poster_url: string | null;
  readonly sprite_url: string | null;
  readonly download_url: string | null;
}

/** The playback that the platform allows until the expiry. */
export interface Playback {
  readonly base_url: string;
  readonly expires_at: string;
  readonly videos: readonly Video[];
}

/** The data of the room in the page. */
export interface RoomPage {
  readonly playbackPath: string;
  readonly roomType: string;
  readonly roomHref: string;
  readonly texts: Texts;
}

export function readPage({ dataset }: HTMLElement): RoomPage {
  return {
    playbackPath: dataset['player'] ?? '',
    roomType: dataset['roomType'] ?? 'video',
    roomHref: dataset['roomHref'] ?? '/',
    texts: JSON.parse(dataset['texts'] ?? '{}') as Texts,
  };
}

export interface Refused {
  readonly refusal: Refusal;
  /** Why the last broadcast ended, for its moderators; null if unknown. */
  readonly end_reason: string | null;
}

/** @returns the playback, why the viewer can no longer watch, or null if the platform did not respond */
export async function fetchPlayback(path: string): Promise<Playback | Refused | null> {
  try {
    const response = await fetch(path, { method: 'POST' });
    if (response.ok) return (await response.json()) as Playback;
    if (response.status === 403) return (await response.json()) as Refused;
    return response.status === 404 ? { refusal: 'ended', end_reason: null } : null;
  } catch {
    return null;
  }
}

/** The state of the stream, as the media server reports it. */
export interface StreamState {
  /** The status of the response; null if the media server did not respond. */
  readonly status: number | null;
  readonly isReconnecting: boolean;
  readonly hasPicture: boolean;
  /** Null if unknown. */
  readonly viewers: number | null;
}

/** A media server that hangs is reported as one that does not respond. */
const stateTimeoutMs = 5000;

/** Fetches the state of the stream, which does not count as watching. */
export async function fetchStreamState(baseUrl: string): Promise<StreamState> {
  const unknownState = { isReconnecting: false, hasPicture: false, viewers: null };
  try {
    const response = await fetch(`${baseUrl}state`, { signal: AbortSignal.timeout(stateTimeoutMs) });
    if (!response.ok) return { ...unknownState, status: response.status };
    const { stream, viewers } = (await response.json()) as {
      stream: { state: string; has_picture: boolean } | null;
      viewers: number;
    };
    const { state = 'idle', has_picture: hasPicture = false } = stream ?? {};
    return { status: response.status, isReconnecting: state === 'reconnecting', hasPicture, viewers };
  } catch {
    return { ...unknownState, status: null };
  }
}

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** @param path an SVG path in a 24 × 24 view box */
export function drawIcon(path: string): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

/** Formats a time such as 1:02:03. */
export function formatClock(seconds: number): string {
  const whole = Math.round(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const [hours = 0, ...rest] = parts;
  const units = hours > 0 ? [hours, ...rest] : rest;
  return units.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}
