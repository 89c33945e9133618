import type { FlvTag } from '../live/media/flv.ts';
import { readFrame } from '../live/media/frame.ts';
import type { StreamHeaders } from '../live/stream-headers.ts';
import { AddressRefused } from '../network/address-rule.ts';
import { ConnectionFailure, type ConnectionProblem, describeConnectionError } from '../network/connection-errors.ts';
import { publishByRtmp, type RtmpClient, TargetRefused } from './rtmp-client.ts';

export interface OutputPlan {
  readonly id: string;
  readonly url: string;
  readonly streamKey: string;
  readonly enabled: boolean;
}

export interface OutputOptions {
  readonly plan: OutputPlan;
  readonly arePrivateAddressesAllowed: boolean;
  /** The headers that a target needs before the first frame. */
  readonly headers: StreamHeaders;
  readonly onChange: () => void;
}

export interface Output {
  readonly plan: OutputPlan;
  push(tag: FlvTag): void;
  /** Called each second. */
  tick(nowMs: number, isEncoderConnected: boolean): void;
  close(): void;
  print(): OutputState;
}

export interface OutputState {
  readonly id: string;
  readonly state: 'idle' | 'connecting' | 'live' | 'reconnecting' | 'failed';
  readonly since_ms: number;
  readonly kbps: number;
  readonly bytes_sent: number;
  readonly last_error: string | null;
  readonly last_error_code: string | null;
}

const firstDelayMs = 500;
const maxDelayMs = 60_000;
/** After this long without an error, the retry delay is reset. */
const healthyMs = 10_000;
/** A target that accepts or acknowledges nothing for this long is reconnected. */
const stallMs = 15_000;
/** If more is queued, frames are dropped until the next key frame. */
const maxWaitingBytes = 4 * 1024 * 1024;
/** After this many failures in a row, the state is `failed`. */
const maxFailures = 5;

/**
 * Forwards a stream to one target, and reconnects with increasing delays. It has its own connection and bounded queue,
 * so that a target that hangs does not delay the others.
 */
export function createOutput({ plan, arePrivateAddressesAllowed, headers, onChange }: OutputOptions): Output {
  let state: OutputState['state'] = 'idle';
  let sinceMs = Date.now();
  let lastError: ConnectionProblem | null = null;
  let client: RtmpClient | null = null;
  let isConnecting = false;
  let isClosed = false;
  let failures = 0;
  let retryAtMs = 0;
  let connectedAtMs = 0;
  let hasKey = false;
  let firstTimestamp: number | null = null;
  let [earlierBytes, lastSentBytes, lastProgressMs, kbps] = [0, 0, 0, 0];

  function setState(next: OutputState['state']): void {
    if (state === next) return;
    state = next;
    sinceMs = Date.now();
    if (!isClosed) onChange();
  }

  function fail(error: Error): void {
    const now = Date.now();
    if (client) {
      earlierBytes += client.sentBytes;
      client.close();
      client = null;
    }
    kbps = 0;
    if (isClosed) return;
    if (connectedAtMs > 0 && now - connectedAtMs >= healthyMs) failures = 0;
    connectedAtMs = 0;
    failures += 1;
    const { code, message } = describeConnectionError('target', error);
    lastError = { code, message: plan.streamKey === '' ? message : message.replaceAll(plan.streamKey, '…') };
    const isFinal = error instanceof TargetRefused || error instanceof AddressRefused;
    retryAtMs = now + (isFinal ? maxDelayMs / 4 : Math.min(firstDelayMs * 2 ** (failures - 1), maxDelayMs));
    setState(isFinal || failures >= maxFailures ? 'failed' : 'reconnecting');
    onChange();
  }

  function connect(): void {
    isConnecting = true;
    if (state === 'idle') setState('connecting');
    let opened: RtmpClient | null = null;
    publishByRtmp({ ...plan, arePrivateAddressesAllowed }, (error) => {
      if (client !== null && client === opened) fail(error);
    }).then(
      (connected) => {
        isConnecting = false;
        opened = connected;
        if (isClosed) return connected.close();
        client = connected;
        connectedAtMs = Date.now();
        lastProgressMs = connectedAtMs;
        lastSentBytes = 0;
        [hasKey, firstTimestamp] = [false, null];
      },
      (error: Error) => {
        isConnecting = false;
        fail(error);
      },
    );
  }

  return {
    plan,
    push(tag) {
      if (!client || tag.type === 'data') return;
      const frame = readFrame(tag);
      if (frame.kind === 'other') return;
      if (client.waitingBytes > maxWaitingBytes) {
        hasKey = false;
        return;
      }
      if (!hasKey) {
        const isStart = frame.kind === 'video' ? frame.isKey : frame.kind === 'audio' && headers.video === null;
        if (!isStart) return;
        hasKey = true;
        firstTimestamp ??= tag.timestamp;
        for (const header of headers.tags(tag.timestamp - firstTimestamp)) client.send(header);
      }
      client.send({ ...tag, timestamp: Math.max(0, tag.timestamp - (firstTimestamp ?? 0)) });
    },
    tick(nowMs, isEncoderConnected) {
      if (isClosed || !plan.enabled) return;
      if (!client) {
        if (isEncoderConnected && !isConnecting && nowMs >= retryAtMs) connect();
        return;
      }
      const sent = client.sentBytes;
      const hasProgress = sent > lastSentBytes && !client.isUnacknowledged;
      kbps = Math.round(((sent - lastSentBytes) * 8) / 1000);
      if (hasProgress && hasKey) setState('live');
      if (hasProgress || !isEncoderConnected) lastProgressMs = nowMs;
      lastSentBytes = sent;
      if (state === 'live' && nowMs - connectedAtMs >= healthyMs) lastError = null;
      if (nowMs - lastProgressMs >= stallMs)
        fail(new ConnectionFailure('target-stalled', 'The target no longer accepts data.'));
    },
    close() {
      isClosed = true;
      client?.close();
      client = null;
    },
    print: () => ({
      id: plan.id,
      state: plan.enabled ? state : 'idle',
      since_ms: sinceMs,
      kbps,
      bytes_sent: earlierBytes + (client?.sentBytes ?? 0),
      last_error: lastError?.message ?? null,
      last_error_code: lastError?.code ?? null,
    }),
  };
}
