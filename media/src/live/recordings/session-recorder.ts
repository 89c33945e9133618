import type { Disk } from '../../storage/disk.ts';
import type { Fragment } from '../media/fragmenter.ts';
import type { WriteProblem } from './fragment-writer.ts';
import type { Recorder, RecordingRecord } from './recording.ts';

/** Why nothing is recorded at the moment. */
export type RecordingProblem = WriteProblem | 'settings-changed';

/** Records a session into one recording after another: its encoder may change its settings, and the disk may be full. */
export interface SessionRecorder {
  /** Null while nothing is recorded. */
  readonly record: RecordingRecord | null;
  /** Null if there is no problem. */
  readonly problem: RecordingProblem | null;
  /** A file cannot change its settings, so another recording begins, unless `maxStarts` is reached. */
  begin(init: Buffer): void;
  write(fragment: Fragment): void;
  /** Called each second. */
  tick(): void;
  close(): void;
}

/** This much is free before a recording continues, so that it does not stop again soon. */
const resumeBytes = 10_000_000;
/** Limits the recordings of an encoder that keeps changing its settings. */
const maxStarts = 10;
const startsWindowMs = 600_000;

export function createSessionRecorder(
  disk: Pick<Disk, 'hasSpace'>,
  start: () => Recorder,
  onChange: () => void,
): SessionRecorder {
  let recorder: Recorder | null = null;
  let problem: RecordingProblem | null = null;
  let init: Buffer | null = null;
  let canResume = false;
  let startsMs: readonly number[] = [];

  function stop(): void {
    // If there is no space for the conversion, it is repeated later.
    void recorder?.finish().catch(() => {});
    recorder = null;
  }

  function mayStart(): boolean {
    startsMs = startsMs.filter((atMs) => Date.now() - atMs < startsWindowMs);
    return startsMs.length < maxStarts;
  }

  function resume(bytes: Buffer): void {
    startsMs = [...startsMs, Date.now()];
    recorder = start();
    recorder.write(bytes, 0);
    problem = null;
    onChange();
  }

  return {
    get record() {
      return recorder?.record ?? null;
    },
    get problem() {
      return problem;
    },
    begin(bytes) {
      stop();
      init = bytes;
      if (mayStart()) return resume(bytes);
      problem = 'settings-changed';
      canResume = false;
      onChange();
    },
    write(fragment) {
      // A recording begins with a key frame.
      if (!recorder && init && canResume && fragment.isIndependent) resume(init);
      recorder?.write(fragment.bytes, fragment.duration);
    },
    tick() {
      if (recorder?.problem) {
        problem = recorder.problem;
        canResume = false;
        stop();
        onChange();
      } else if (problem !== null) {
        disk.hasSpace(resumeBytes).then(
          (hasSpace) => (canResume = hasSpace && mayStart()),
          () => {},
        );
      }
    },
    close() {
      stop();
      init = null;
    },
  };
}
