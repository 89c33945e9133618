/** A registered webhook. */
export interface Hook {
  id: string;
  callbackUrl: string;
  /** Null: for all meetings. */
  meetingId: string | null;
  /** In lower case; null: for all events. */
  eventIds: readonly string[] | null;
  getRaw: boolean;
}

export type HookChecksumAlgorithm = 'sha1' | 'sha256' | 'sha384' | 'sha512';

/** How hooks are signed. Bearer: the secret in a header instead of a checksum. */
export type HookSignature = HookChecksumAlgorithm | 'bearer';
