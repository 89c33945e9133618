/** The parts of a pasted room link, or a token. */
export interface PastedLink {
  readonly token: string;
  /** The room in the link, if there is one. */
  readonly roomId: string | null;
  readonly code: string | null;
}

/** Accepts a whole link or a token. */
export function readPastedLink(text: string): PastedLink {
  const trimmed = text.trim();
  if (!URL.canParse(trimmed) || !/^https?:/i.test(trimmed)) return { token: trimmed, roomId: null, code: null };
  const url = new URL(trimmed);
  return {
    token: url.searchParams.get('token') ?? '',
    roomId: /(room_[0-9a-z]{26})(?:\/|$)/i.exec(url.pathname)?.[1] ?? null,
    code: url.searchParams.get('code') ?? url.searchParams.get('access_code'),
  };
}
