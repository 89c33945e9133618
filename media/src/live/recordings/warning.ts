import type { InputFigures } from '../input-health.ts';
import type { RecordingProblem } from './session-recorder.ts';

const sentences: Readonly<Record<RecordingProblem, string>> = {
  'disk-full':
    'The recording has stopped, because the disk of the media server is almost full. The broadcast continues.',
  'disk-slow': 'The recording has stopped, because the disk of the media server is too slow. The broadcast continues.',
  'disk-error':
    'The recording has stopped, because the disk of the media server has an error. The broadcast continues.',
  'settings-changed':
    'The recording is paused for some minutes, because the encoder keeps changing its settings. The broadcast continues. Check the encoder.',
};

/** The figures of the input, with a warning if the broadcast is not recorded to its end. */
export function withRecordingWarning(figures: InputFigures, problem: RecordingProblem | null): InputFigures {
  if (problem === null) return figures;
  const code = problem === 'settings-changed' ? 'recording-paused' : 'recording-stopped';
  return { ...figures, warnings: [{ code, message: sentences[problem] }, ...figures.warnings] };
}
