export interface RtpPiece {
  readonly sequence: number;
  readonly timestamp: number;
  readonly isMarked: boolean;
  readonly payload: Buffer;
}

export interface RtpOrder {
  push(piece: RtpPiece): void;
}

/** How many packets wait behind a gap before the missing packets are skipped. */
const maxQueueLength = 64;
const maxWaitMs = 300;

/**
 * Delivers RTP packets in the order of their sequence numbers. A missing packet is waited for, since it is requested
 * again (NACK).
 * @param onLoss called when a missing packet is given up
 */
export function createRtpOrder(deliver: (piece: RtpPiece) => void, onLoss: () => void): RtpOrder {
  const waiting = new Map<number, RtpPiece>();
  let next: number | null = null;
  let gapSinceMs: number | null = null;

  const distance = (from: number, to: number) => ((to - from + 0x18000) & 0xffff) - 0x8000;

  function drain(): void {
    while (next !== null) {
      const piece = waiting.get(next);
      if (!piece) return;
      waiting.delete(next);
      next = (next + 1) & 0xffff;
      gapSinceMs = null;
      deliver(piece);
    }
  }

  /** Continues with the first packet after the gap. */
  function skip(): void {
    const from = next ?? 0;
    const [first] = [...waiting.keys()].sort((one, other) => distance(from, one) - distance(from, other));
    next = first ?? null;
    gapSinceMs = null;
    onLoss();
    drain();
  }

  return {
    push(piece) {
      next ??= piece.sequence;
      const ahead = distance(next, piece.sequence);
      // The packet is late or a duplicate.
      if (ahead < 0 && ahead > -maxQueueLength * 8) return;
      waiting.set(piece.sequence, piece);
      drain();
      if (waiting.size === 0) return;
      gapSinceMs ??= Date.now();
      if (waiting.size > maxQueueLength || Date.now() - gapSinceMs > maxWaitMs) skip();
    },
  };
}
