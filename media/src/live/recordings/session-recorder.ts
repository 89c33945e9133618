import type { Disk } from '../../storage/disk.ts';
import type { Fragment } from '../media/fragmenter.ts';
import type { WriteProblem } from './fragment-writer.ts';
import type { Recorder, RecordingRecord } from './recording.ts';

/** Records a session into one recording after another: its encoder may change its settings, and the disk may be full. */
export interface SessionRecorder {
  /** Null while nothing is recorded. */
  readonly record: RecordingRecord | null;
  /** Why nothing is recorded now; null if there is no problem. */
  readonly problem: WriteProblem | null;
  /** A file cannot change its settings, so another recording begins. */
  begin(init: Buffer): void;
  write(fragment: Fragment): void;
  /** Called each second. */
  tick(): void;
  close(): void;
}

/** This much is free before a recording continues, so that it does not stop again soon. */
const resumeBytes = 10_000_000;

export function createSessionRecorder(
  disk: Pick<Disk, 'hasSpace'>,
  start: () => Recorder,
  onChange: () => void,
): SessionRecorder {
  let recorder: Recorder | null = null;
  let problem: WriteProblem | null = null;
  let init: Buffer | null = null;
  let hasSpace = false;

  function stop(): void {
    // If there is no space for the conversion, it is repeated later.
    void recorder?.finish().catch(() => {});
    recorder = null;
  }

  function resume(bytes: Buffer): void {
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
      resume(bytes);
    },
    write(fragment) {
      // A recording begins with a key frame.
      if (!recorder && init && hasSpace && fragment.isIndependent) resume(init);
      recorder?.write(fragment.bytes, fragment.duration);
    },
    tick() {
      if (recorder?.problem) {
        problem = recorder.problem;
        hasSpace = false;
        stop();
        onChange();
      } else if (problem !== null) {
        disk.hasSpace(resumeBytes).then(
          (has) => (hasSpace = has),
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
