import type { Answer } from '../../http/answer.ts';
import { type Recording, recordingStates } from '../../world/recording.ts';
import type { ApiCall } from '../request/call.ts';
import { sha1 } from '../create.ts';
import { type Parameters, readList, readMetadata, readWholeNumber } from '../request/parameters.ts';
import { printRecording } from './print-recording.ts';
import { invalid } from '../request/refusals.ts';
import { success } from '../request/xml.ts';

export function getRecordings({ world, parameters, origin }: ApiCall): Answer {
  const filter = readFilter(parameters);
  const page = readPage(parameters);
  const recordings = world.recordings.filter((recording) => matches(recording, filter));
  const pageRows = page ? recordings.slice(page.offset, page.offset + page.limit) : recordings;
  const total = page ? { totalElements: recordings.length } : {};
  if (pageRows.length === 0) {
    return success({
      recordings: '',
      ...total,
      messageKey: 'noRecordings',
      message: 'There are no recordings for the meeting(s).',
    });
  }
  const recording = pageRows.map((row) => printRecording(world, row, origin));
  return success({ recordings: { recording }, ...total });
}

interface RecordingFilter {
  meetingIds: string[];
  recordIds: string[];
  states: string[];
  metadata: Map<string, string>;
}

function readFilter(parameters: Parameters): RecordingFilter {
  const states = readList(parameters, 'state');
  for (const state of states) {
    if (!knownStates.includes(state)) throw invalid(`State must be one of ${knownStates.join(', ')}`);
  }
  return {
    meetingIds: readList(parameters, 'meetingID'),
    recordIds: readList(parameters, 'recordID'),
    states: states.length > 0 ? states : ['published', 'unpublished'],
    metadata: readMetadata(parameters),
  };
}

const knownStates: string[] = ['any', ...recordingStates];

/** A meetingID matches by the hash at the start of record ids. A recordID matches as a prefix and takes precedence. */
function matches(recording: Recording, filter: RecordingFilter): boolean {
  const { recordId } = recording;
  const { meetingIds, recordIds, states, metadata } = filter;
  if (!states.includes('any') && !states.includes(recording.state)) return false;
  if (recordIds.length > 0) {
    if (!recordIds.some((id) => recordId.startsWith(id))) return false;
  } else if (meetingIds.length > 0) {
    if (!meetingIds.some((id) => id === recordId || recordId.startsWith(`${sha1(id)}-`))) return false;
  }
  return [...metadata].every(([key, value]) => recording.metadata.get(key) === value);
}

/** @returns null for all recordings */
function readPage(parameters: Parameters): { offset: number; limit: number } | null {
  const offset = readWholeNumber(parameters, 'offset', 'Offset must be an integral number');
  const limit = readWholeNumber(parameters, 'limit', 'Limit must be an integral number');
  if (limit !== undefined && (limit < 1 || limit > 100)) {
    throw invalid('Limit must be between 1 and 100');
  }
  if (offset === undefined && limit === undefined) return null;
  return { offset: offset ?? 0, limit: limit ?? 100 };
}
