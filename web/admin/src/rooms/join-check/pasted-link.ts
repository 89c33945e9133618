/** The contents of a pasted text, which is a room link or a token. */
export interface PastedLink {
  readonly token: string;
  /** Null for a token, or a link without a room id. */
  readonly roomId: string | null;
  readonly code: string | null;
}

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
