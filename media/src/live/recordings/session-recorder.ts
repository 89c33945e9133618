import type { Disk } from '../../storage/disk.ts';
import type { Fragment } from '../media/fragmenter.ts';
import type { WriteProblem } from './fragment-writer.ts';
import type { Recorder, RecordingRecord } from './recording.ts';

/** Why the session is not recorded at the moment. */
export type RecordingProblem = WriteProblem | 'settings-changed';

/**
 * Records a session. A new recording begins when the encoder changes its settings, and when a disk that was full has space
 * again.
 */
export interface SessionRecorder {
  /** The current recording; null while the session is not recorded. */
  readonly record: RecordingRecord | null;
  /** Null if there is no problem. */
  readonly problem: RecordingProblem | null;
  /** Begins another recording, since a file cannot change its settings; pauses if `maxStarts` is reached. */
  begin(init: Buffer): void;
  write(fragment: Fragment): void;
  /** Called each second. */
  tick(): void;
  close(): void;
}

/** The space that must be free before recording resumes, so that it does not stop again soon. */
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

  function canStart(): boolean {
    startsMs = startsMs.filter((atMs) => Date.now() - atMs < startsWindowMs);
    return startsMs.length < maxStarts;
  }

  function startRecording(bytes: Buffer): void {
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
      if (canStart()) return startRecording(bytes);
      problem = 'settings-changed';
      canResume = false;
      onChange();
    },
    write(fragment) {
      // A recording begins with a key frame.
      if (!recorder && init && canResume && fragment.isIndependent) startRecording(init);
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
          (hasSpace) => (canResume = hasSpace && canStart()),
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
