import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Callbacks } from '../../callbacks.ts';
import { inputOptions } from '../../ffmpeg/input.ts';
import type { Programs } from '../../ffmpeg/locate.ts';
import type { Isolation } from '../../ffmpeg/isolation.ts';
import { runConfined } from '../../ffmpeg/run.ts';
import { type Disk, saysDiskFull } from '../../storage/disk.ts';
import { requireWholeFile } from '../../ffmpeg/whole-files.ts';
import { createKeyedQueue } from '../../storage/keyed-queue.ts';
import { readJson, writeJson } from '../../storage/json-file.ts';
import { createFragmentWriter, type WriteProblem } from './fragment-writer.ts';

export interface RecordingRecord {
  readonly recordingId: string;
  readonly roomId: string;
  readonly sessionId: string;
  readonly callbackUrl: string;
  readonly startedAtMs: number;
  state: 'recording' | 'processing' | 'ready' | 'failed';
  endedAtMs: number | null;
  /** Why it ended before the session; null if it did not. */
  problem?: WriteProblem | null;
  durationSeconds: number;
  sizeBytes: number;
  /** Whether the platform allows playback of it. */
  published: boolean;
  /** The data that the platform stores with the recording. */
  labels: Readonly<Record<string, string>>;
}

/** A recording in progress. */
export interface Recorder {
  readonly record: RecordingRecord;
  /** Why nothing more is recorded; null while it continues. */
  readonly problem: WriteProblem | null;
  write(bytes: Buffer, seconds: number): void;
  /** Ends the recording and converts it to a file that plays everywhere. */
  finish(): Promise<void>;
}

export interface Recordings {
  all(): RecordingRecord[];
  find(recordingId: string): RecordingRecord | null;
  /** The file of a ready recording. */
  fileOf(recordingId: string): string;
  start(session: Pick<RecordingRecord, 'roomId' | 'sessionId' | 'callbackUrl'>): Recorder;
  update(record: RecordingRecord, changes: Partial<Pick<RecordingRecord, 'published' | 'labels'>>): Promise<void>;
  remove(recordingId: string): Promise<void>;
  /** Waits for running conversions. */
  close(): Promise<void>;
}

export interface RecordingServices {
  readonly dataDir: string;
  readonly callbacks: Callbacks;
  readonly programs: Programs;
  readonly isolation: Isolation;
  readonly disk: Disk;
}

const conversionSeconds = 3600;
/** The delay before a conversion is retried for which there was no space. */
const retryMs = 5000;

/**
 * Recordings of live sessions. During a session, fragments are appended to a file that stays playable even if the
 * process dies; afterwards it is converted to an MP4 that starts to play at once.
 */
export async function openRecordings(services: RecordingServices): Promise<Recordings> {
  const { dataDir, callbacks, disk } = services;
  const root = join(dataDir, 'recordings');
  await mkdir(root, { recursive: true });
  const records = new Map<string, RecordingRecord>();
  const conversions = new Set<Promise<void>>();
  const retries = new Set<NodeJS.Timeout>();
  const enqueue = createKeyedQueue();
  let queue: Promise<void> = Promise.resolve();
  const stopping = new AbortController();
  const directoryOf = (id: string) => join(root, id);

  async function changeRecord(record: RecordingRecord, changes: Partial<RecordingRecord>): Promise<void> {
    if (!records.has(record.recordingId)) return;
    Object.assign(record, changes);
    await enqueue(record.recordingId, async () => {
      if (records.has(record.recordingId))
        await writeJson(join(directoryOf(record.recordingId), 'recording.json'), record);
    });
    callbacks.report(record.callbackUrl, { type: 'recording.changed', recording: printRecording(record) });
  }

  async function remove(id: string): Promise<void> {
    records.delete(id);
    await enqueue(id, async () => {
      // The record is deleted first: the next start removes directories without a record.
      await rm(join(directoryOf(id), 'recording.json'), { force: true });
      await rm(directoryOf(id), { recursive: true, force: true });
    });
  }

  /** Converts one recording at a time, since the disk is the bottleneck. */
  function scheduleConversion(record: RecordingRecord): Promise<void> {
    const done = queue
      .then(() => convert(record))
      .catch(() => {
        if (stopping.signal.aborted) return;
        const timer = setTimeout(() => {
          retries.delete(timer);
          void scheduleConversion(record);
        }, retryMs);
        retries.add(timer);
      });
    queue = done;
    conversions.add(done);
    void done.finally(() => conversions.delete(done));
    return done;
  }

  /** @throws Error if there is no space now */
  async function convert(record: RecordingRecord): Promise<void> {
    const directory = directoryOf(record.recordingId);
    const source = join(directory, 'fragments.mp4');
    if (stopping.signal.aborted || !records.has(record.recordingId)) return;
    if (record.state === 'recording')
      await changeRecord(record, { state: 'processing', endedAtMs: record.endedAtMs ?? Date.now() });
    // The conversion needs as much space as its source.
    if (!(await disk.hasSpace((await stat(source).catch(() => null))?.size ?? 0))) throw new Error('ENOSPC');
    const draft = join(directory, 'draft.mp4');
    const args = ['-v', 'error', '-nostdin', '-y', ...inputOptions, '-i', source];
    const output = ['-map', '0', '-c', 'copy', '-movflags', '+faststart', '-f', 'mp4', draft];
    const { exitCode, stderr } = await runConfined(services.programs.ffmpeg.path, [...args, ...output], {
      isolation: services.isolation,
      timeoutSeconds: conversionSeconds,
      stallSeconds: conversionSeconds,
      directory,
      signal: stopping.signal,
    });
    if (stopping.signal.aborted) return;
    if (exitCode !== 0) {
      await rm(draft, { force: true });
      if (saysDiskFull(stderr)) throw new Error('ENOSPC');
      // The recording has no frame.
      if (((await stat(source).catch(() => null))?.size ?? 0) === 0) return await remove(record.recordingId);
      return await changeRecord(record, { state: 'failed' });
    }
    await requireWholeFile(draft);
    const file = await open(draft, 'r');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, join(directory, 'recording.mp4'));
    const { size } = await stat(join(directory, 'recording.mp4'));
    const durationSeconds = await durationOf(services, join(directory, 'recording.mp4'), directory);
    await changeRecord(record, {
      state: 'ready',
      sizeBytes: size,
      durationSeconds: durationSeconds ?? record.durationSeconds,
    });
    await rm(source, { force: true });
  }

  for (const name of await readdir(root)) {
    const record = await readJson<RecordingRecord>(join(root, name, 'recording.json'));
    if (!record) await rm(join(root, name), { recursive: true, force: true });
    else {
      records.set(record.recordingId, record);
      if (record.state === 'recording' || record.state === 'processing') void scheduleConversion(record);
    }
  }

  return {
    all: () => [...records.values()],
    find: (id) => records.get(id) ?? null,
    fileOf: (id) => join(directoryOf(id), 'recording.mp4'),
    start(session) {
      const record: RecordingRecord = {
        ...session,
        recordingId: randomUUID(),
        startedAtMs: Date.now(),
        state: 'recording',
        endedAtMs: null,
        durationSeconds: 0,
        sizeBytes: 0,
        published: true,
        labels: {},
      };
      records.set(record.recordingId, record);
      const writer = createFragmentWriter(disk, async () => {
        await mkdir(directoryOf(record.recordingId), { recursive: true });
        await changeRecord(record, {});
        return await open(join(directoryOf(record.recordingId), 'fragments.mp4'), 'a');
      });
      return {
        record,
        get problem() {
          return writer.problem;
        },
        write(bytes, seconds) {
          if (!writer.write(bytes)) return;
          record.sizeBytes += bytes.length;
          record.durationSeconds += seconds;
        },
        async finish() {
          record.endedAtMs = Date.now();
          const size = await writer.close();
          Object.assign(record, { sizeBytes: size, problem: writer.problem });
          if (size === 0) await remove(record.recordingId);
          else if (records.has(record.recordingId)) await scheduleConversion(record);
        },
      };
    },
    update: changeRecord,
    remove,
    async close() {
      stopping.abort();
      for (const timer of retries) clearTimeout(timer);
      await Promise.all(conversions);
    },
  };
}

async function durationOf(
  { programs, isolation }: RecordingServices,
  path: string,
  directory: string,
): Promise<number | null> {
  const args = ['-v', 'error', ...inputOptions, '-of', 'csv=p=0', '-show_entries', 'format=duration', path];
  const { exitCode, stdout } = await runConfined(programs.ffprobe.path, args, {
    isolation,
    timeoutSeconds: 60,
    directory,
  });
  const seconds = Number(stdout.trim());
  return exitCode === 0 && seconds > 0 ? seconds : null;
}

export function printRecording(record: RecordingRecord) {
  return {
    recording_id: record.recordingId,
    room_id: record.roomId,
    session_id: record.sessionId,
    state: record.state,
    started_at_ms: record.startedAtMs,
    ended_at_ms: record.endedAtMs,
    problem: record.problem ?? null,
    duration_seconds: record.durationSeconds,
    size_bytes: record.sizeBytes,
    published: record.published,
    labels: record.labels,
  };
}
