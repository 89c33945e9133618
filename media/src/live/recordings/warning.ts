import type { InputFigures } from '../input-health.ts';
import type { WriteProblem } from './fragment-writer.ts';

const sentences: Readonly<Record<WriteProblem, string>> = {
  'disk-full':
    'The recording has stopped, because the disk of the media server is almost full. The broadcast continues.',
  'disk-slow': 'The recording has stopped, because the disk of the media server is too slow. The broadcast continues.',
  'disk-error':
    'The recording has stopped, because the disk of the media server has an error. The broadcast continues.',
};

/** The figures of the input, with a warning if the broadcast is not recorded to its end. */
export function withRecordingWarning(figures: InputFigures, problem: WriteProblem | null): InputFigures {
  if (problem === null) return figures;
  return { ...figures, warnings: [{ code: 'recording-stopped', message: sentences[problem] }, ...figures.warnings] };
}
