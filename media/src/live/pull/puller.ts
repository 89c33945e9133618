import { createInterface } from 'node:readline';
import { maximumPixels } from '../../ffmpeg/input.ts';
import type { Isolation } from '../../ffmpeg/isolation.ts';
import { spawnConfined } from '../../ffmpeg/spawn.ts';
import { ConnectionFailure, type ConnectionProblem, describeConnectionError } from '../../network/connection-errors.ts';
import type { Connection, EncoderInput } from '../input.ts';
import { createFlvReader, type FlvTag } from '../media/flv.ts';
import { UnusableInput } from '../media/frame.ts';
import { openRelay, type Relay } from './relay.ts';

export interface PullPrograms {
  readonly ffmpegPath: string;
  readonly isolation: Isolation;
  readonly directory: string;
  /** Whether ffmpeg is the old one of the npm package, which does not convert the AAC of MPEG-TS by itself. */
  readonly isPackaged: boolean;
}

export interface PullOptions {
  readonly url: string;
  readonly arePrivateAddressesAllowed: boolean;
  readonly programs: PullPrograms;
  readonly open: (connection: Connection) => Promise<EncoderInput>;
  /** Why nothing is fetched now; null once the stream arrives. */
  readonly onState: (error: ConnectionProblem | null) => void;
}

export interface Puller {
  readonly url: string;
  readonly arePrivateAddressesAllowed: boolean;
  /** Does not fetch until `resume`. */
  pause(): void;
  resume(): void;
  close(): void;
}

const firstDelayMs = 1000;
const maxDelayMs = 60_000;
const healthyMs = 10_000;
const maxIdleMs = 20_000;
/** The limit of the frames that arrive before the platform has accepted the stream. */
const maxEarlyBytes = 16 * 1024 * 1024;
const maxReportLength = 4000;

/** Fetches a stream from its source, and retries with increasing delays. */
export function createPuller({ url, arePrivateAddressesAllowed, programs, open, onState }: PullOptions): Puller {
  let isStopped = false;
  let failures = 0;
  let timer: NodeJS.Timeout | null = null;
  let stopRun: (() => void) | null = null;

  function schedule(delayMs: number): void {
    if (timer) clearTimeout(timer);
    timer = isStopped ? null : setTimeout(() => void run(), delayMs).unref();
  }

  async function run(): Promise<void> {
    timer = null;
    const startedAt = Date.now();
    try {
      const relay = await openRelay(url, arePrivateAddressesAllowed);
      if (isStopped) return relay.close();
      const fetching = fetchOnce(relay, {
        programs,
        onStart: (stop) => (stopRun = stop),
        async open(connection) {
          const input = await open(connection);
          onState(null);
          return input;
        },
      });
      const error = await fetching.finally(() => relay.close());
      if (error instanceof UnusableInput) onState({ code: error.code, message: error.message });
      else if (!isStopped) onState(describeConnectionError('source', error));
    } catch (error) {
      // Any failure of a source may be temporary.
      if (!isStopped) onState(describeConnectionError('source', error as Error));
    }
    stopRun = null;
    failures = Date.now() - startedAt >= healthyMs ? 0 : failures + 1;
    schedule(Math.min(firstDelayMs * 2 ** failures, maxDelayMs));
  }

  function stop(): void {
    isStopped = true;
    if (timer) clearTimeout(timer);
    timer = null;
    stopRun?.();
  }

  schedule(0);
  return {
    url,
    arePrivateAddressesAllowed,
    pause: stop,
    resume() {
      if (!isStopped) return;
      isStopped = false;
      failures = 0;
      if (!stopRun) schedule(0);
    },
    close: stop,
  };
}

interface FetchOptions extends Pick<PullOptions, 'programs' | 'open'> {
  readonly onStart: (stop: () => void) => void;
}

/** Runs until the source or the stream ends. @returns why it ended */
async function fetchOnce(relay: Relay, { programs, open, onStart }: FetchOptions): Promise<Error> {
  const { ffmpegPath, isolation, directory, isPackaged } = programs;
  const program = spawnConfined(ffmpegPath, commandOf(relay, isPackaged), {
    // ffmpeg needs the network. The relay decides which addresses it reaches.
    isolation: { ...isolation, blocksNetwork: false },
    directory,
    env: relay.env,
  });
  const { child, kill: stop } = program;
  onStart(stop);
  let input: EncoderInput | null = null;
  let refusal: UnusableInput | null = null;
  let report = '';
  let earlyTags: FlvTag[] | null = null;
  let earlyBytes = 0;
  let idleTimer = setTimeout(stop, maxIdleMs);

  function deliver(tag: FlvTag): void {
    try {
      input?.push(tag);
    } catch (error) {
      if (error instanceof UnusableInput) {
        refusal = error;
        input?.fail(error);
      }
      stop();
    }
  }

  function onTag(tag: FlvTag): void {
    if (input) return deliver(tag);
    earlyBytes += tag.payload.length;
    if (earlyBytes > maxEarlyBytes) return stop();
    if (earlyTags) return void earlyTags.push(tag);
    earlyTags = [tag];
    open({ protocol: 'pull', close: stop }).then(
      (opened) => {
        input = opened;
        for (const earlyTag of earlyTags ?? []) deliver(earlyTag);
        earlyTags = [];
        if (child.exitCode !== null || child.signalCode !== null) opened.end();
      },
      (error: unknown) => {
        if (error instanceof UnusableInput) refusal = error;
        stop();
      },
    );
  }

  const read = createFlvReader(onTag);
  program.stdout.on('data', (bytes: Buffer) => {
    clearTimeout(idleTimer);
    idleTimer = setTimeout(stop, maxIdleMs);
    try {
      read(bytes);
    } catch {
      stop();
    }
  });
  // Not logged, since it may contain the address.
  createInterface(program.stderr).on('line', (line) => (report = `${report}${line}\n`.slice(-maxReportLength)));
  await new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  clearTimeout(idleTimer);
  (input as EncoderInput | null)?.end();
  return refusal ?? relay.error ?? failureOf(report, input !== null);
}

/** @param report the last error output of ffmpeg @param hadStream whether the stream had arrived */
function failureOf(report: string, hadStream: boolean): ConnectionFailure {
  const [, status] = /(?:Server returned|failed:) ([45]\d\d|[45]XX)/.exec(report) ?? [];
  if (status !== undefined) return new ConnectionFailure('source-status', `The source answered with status ${status}.`);
  if (hadStream) return new ConnectionFailure('source-stopped', 'The source has stopped sending.');
  if (/Invalid data found|does not contain any stream|Could not find codec/.test(report))
    return new ConnectionFailure('source-unreadable', 'The source does not send a readable stream.');
  return new ConnectionFailure('no-response', 'The source does not respond.');
}

function commandOf({ url, protocols, options }: Relay, isPackaged: boolean): string[] {
  const conversion = isPackaged && /^(?:https|srt):/.test(url) ? '-bsf:a aac_adtstoasc ' : '';
  const limits = ['-max_pixels', String(maximumPixels), '-protocol_whitelist', protocols];
  const input = ['-v', 'error', '-nostdin', ...limits, ...options, '-i', url];
  const output = `-map 0:v:0? -map 0:a:0? -c copy ${conversion}-flvflags no_duration_filesize -flush_packets 1 -f flv pipe:1`;
  return [...input, ...output.split(' ')];
}
