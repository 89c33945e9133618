export interface MediaPacket {
  readonly sequence: number;
  readonly timestamp: number;
  /** The marker bit: the last packet of a video frame. */
  readonly isMarked: boolean;
  readonly payload: Buffer;
}

export interface ReorderBuffer {
  push(packet: MediaPacket): void;
}

export interface ReorderBufferEvents {
  /** Called with the packets in their order. */
  onPacket(packet: MediaPacket): void;
  /** Called when a missing packet did not arrive in time. */
  onLoss(): void;
}

/** How many packets wait behind a gap before the missing packets are skipped. */
const maxQueueLength = 64;
const maxWaitMs = 300;

/**
 * Delivers RTP packets in the order of their sequence numbers. Waits for a missing packet, which is requested again
 * (NACK).
 */
export function createReorderBuffer({ onPacket, onLoss }: ReorderBufferEvents): ReorderBuffer {
  const queuedPackets = new Map<number, MediaPacket>();
  let nextSequence: number | null = null;
  let gapSinceMs: number | null = null;

  const distance = (from: number, to: number) => ((to - from + 0x18000) & 0xffff) - 0x8000;

  function drain(): void {
    while (nextSequence !== null) {
      const packet = queuedPackets.get(nextSequence);
      if (!packet) return;
      queuedPackets.delete(nextSequence);
      nextSequence = (nextSequence + 1) & 0xffff;
      gapSinceMs = null;
      onPacket(packet);
    }
  }

  /** Continues with the first packet after the gap. */
  function skipGap(): void {
    const from = nextSequence ?? 0;
    const [first] = [...queuedPackets.keys()].sort((a, b) => distance(from, a) - distance(from, b));
    nextSequence = first ?? null;
    gapSinceMs = null;
    onLoss();
    drain();
  }

  return {
    push(packet) {
      nextSequence ??= packet.sequence;
      const ahead = distance(nextSequence, packet.sequence);
      // The packet is late or a duplicate.
      if (ahead < 0 && ahead > -maxQueueLength * 8) return;
      queuedPackets.set(packet.sequence, packet);
      drain();
      if (queuedPackets.size === 0) return;
      gapSinceMs ??= Date.now();
      if (queuedPackets.size > maxQueueLength || Date.now() - gapSinceMs > maxWaitMs) skipGap();
    },
  };
}
