import type { Answer } from '../../http/answer.ts';
import { deleteRecording, isAvailable, setPublished } from '../../world/processing.ts';
import type { Recording } from '../../world/recording.ts';
import type { ApiCall } from '../request/call.ts';
import { readList, readMetadata, readText } from '../request/parameters.ts';
import { refusal } from '../request/refusals.ts';
import { success } from '../request/xml.ts';

/** Unknown ids are ignored if at least one is known. */
export function publishRecordings(call: ApiCall): Answer {
  const { world, parameters } = call;
  const ids = readRecordIds(call);
  const publish = readText(parameters, 'publish');
  if (publish === undefined) throw refusal('publishMissing');
  const isPublished = publish.toLowerCase() === 'true';
  for (const recording of requireRecordings(call, ids)) setPublished(world, recording, isPublished);
  return success({ published: isPublished });
}

export function deleteRecordings(call: ApiCall): Answer {
  const ids = readRecordIds(call);
  for (const recording of requireRecordings(call, ids)) deleteRecording(call.world, recording);
  return success({ deleted: true });
}

/** An empty value removes the entry. */
export function updateRecordings(call: ApiCall): Answer {
  const ids = readRecordIds(call);
  const changes = readMetadata(call.parameters);
  for (const recording of requireRecordings(call, ids)) {
    for (const [key, value] of changes) {
      if (value === '') recording.metadata.delete(key);
      else recording.metadata.set(key, value);
    }
  }
  return success({ updated: true });
}

function readRecordIds({ parameters }: ApiCall): string[] {
  const ids = readList(parameters, 'recordID');
  if (ids.length === 0) throw refusal('recordIdMissing');
  return ids;
}

function requireRecordings({ world }: ApiCall, ids: string[]): Recording[] {
  const recordings = world.recordings.filter((recording) => isAvailable(recording) && ids.includes(recording.recordId));
  if (recordings.length === 0) throw refusal('recordingsUnknown');
  return recordings;
}
