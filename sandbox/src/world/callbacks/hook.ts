/** A registered webhook. */
export interface Hook {
  id: string;
  callbackUrl: string;
  /** Null: of every meeting. */
  meetingId: string | null;
  /** In lower case; null: of every event. */
  eventIds: readonly string[] | null;
  getRaw: boolean;
}

export type HookChecksumAlgorithm = 'sha1' | 'sha256' | 'sha384' | 'sha512';

/** How hooks are signed. Bearer: no checksum, but the secret itself in a header. */
export type HookSignature = HookChecksumAlgorithm | 'bearer';
