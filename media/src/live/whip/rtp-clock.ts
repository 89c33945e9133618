/** Places the timestamps of several RTP streams on one clock, in milliseconds since the first packet. */
export interface RtpClock {
  /** @param rate the ticks of the RTP timestamp per second */
  add(rate: number): RtpTrackClock;
}

export interface RtpTrackClock {
  /** Never decreases. */
  timeOf(rtpTimestamp: number): number;
  /** A sender report: which time of the sender's clock belongs to an RTP timestamp (RFC 3550, 6.4.1). */
  report(ntpTimestamp: bigint, rtpTimestamp: number): void;
}

/** Reports that differ by more are ignored: their clock cannot be trusted. */
const maxCorrectionMs = 5000;

export function createRtpClock(now: () => number = Date.now): RtpClock {
  let startMs: number | null = null;
  let ntpStartMs: number | null = null;

  function add(rate: number): RtpTrackClock {
    let anchor: { readonly rtp: number; readonly ms: number } | null = null;
    let lastMs = 0;
    const elapsedMs = (rtp: number, from: number) => (((rtp - from) | 0) * 1000) / rate;
    return {
      timeOf(rtp) {
        startMs ??= now();
        anchor ??= { rtp, ms: now() - startMs };
        const ms = anchor.ms + elapsedMs(rtp, anchor.rtp);
        // The timestamp wraps after some hours: the anchor moves along.
        anchor = { rtp, ms };
        lastMs = Math.max(lastMs, Math.round(ms));
        return lastMs;
      },
      report(ntp, rtp) {
        if (!anchor) return;
        const ntpMs = Number(ntp >> 32n) * 1000 + (Number(ntp & 0xffffffffn) * 1000) / 2 ** 32;
        const ms = anchor.ms + elapsedMs(rtp, anchor.rtp);
        // The first report of any stream relates the two clocks. Later reports of all streams are aligned to it.
        ntpStartMs ??= ntpMs - ms;
        const correction = ntpMs - ntpStartMs - ms;
        if (Math.abs(correction) < maxCorrectionMs) anchor = { rtp, ms: ms + correction };
      },
    };
  }

  return { add };
}
