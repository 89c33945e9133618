import type { ApiCall } from '../api/request/call.ts';
import { readList, readMetadata, readText } from '../api/request/parameters.ts';
import { refusal } from '../api/request/refusals.ts';
import { success } from '../api/request/xml.ts';
import type { Answer } from '../http/answer.ts';
import { isAvailable, setPublished } from '../world/processing.ts';
import type { Recording } from '../world/recording.ts';
import type { Balancer } from './balancer.ts';
import { printStoredRecording } from './print-recording.ts';

/**
 * Lists recordings, newest first and without pagination. A recording matches if it has one of the metadata values.
 * Scalelite imports recordings once they are processed, so others are not listed.
 */
export function getRecordings(balancer: Balancer, { world, parameters, origin }: ApiCall): Answer {
  if (balancer.recordingsDisabled) return noRecordings();
  const recordIds = readList(parameters, 'recordID');
  const meetingIds = readList(parameters, 'meetingID');
  if (balancer.recordingsFiltered && recordIds.length === 0 && meetingIds.length === 0) throw refusal('filterMissing');
  const wanted = readList(parameters, 'state');
  const states = wanted.length > 0 ? wanted : ['published', 'unpublished'];
  const metadata = [...readMetadata(parameters)].map(([key, value]) => [key, value.split(',')] as const);
  const recordings = world.recordings.filter(
    (recording) =>
      isAvailable(recording) &&
      (states.includes('any') || states.includes(recording.state)) &&
      (recordIds.length === 0 || recordIds.some((id) => recording.recordId.startsWith(id))) &&
      (meetingIds.length === 0 || meetingIds.includes(recording.meetingId)) &&
      (metadata.length === 0 || metadata.some(([key, values]) => values.includes(recording.metadata.get(key) ?? ''))),
  );
  if (recordings.length === 0) return noRecordings();
  recordings.sort((one, other) => other.startTime - one.startTime);
  return success({ recordings: { recording: recordings.map((item) => printStoredRecording(item, origin)) } });
}

export function publishRecordings(balancer: Balancer, call: ApiCall): Answer {
  const ids = readRecordIds(call);
  const publish = readText(call.parameters, 'publish');
  if (publish === undefined) throw refusal('publishMissing');
  const isPublished = publish.toLowerCase() === 'true';
  for (const recording of requireRecordings(balancer, call, ids)) setPublished(call.world, recording, isPublished);
  return success({ published: isPublished });
}

/** For unknown ids, the response is successful with `false`. */
export function updateRecordings(balancer: Balancer, call: ApiCall): Answer {
  const ids = readRecordIds(call);
  const changes = readMetadata(call.parameters);
  if (balancer.recordingsDisabled) throw refusal('recordingsUnknown');
  const recordings = find(call, ids);
  for (const { metadata } of recordings) {
    for (const [key, value] of changes) {
      if (value === '') metadata.delete(key);
      else metadata.set(key, value);
    }
  }
  return success({ updated: recordings.length > 0 && changes.size > 0 });
}

/** Removes the recordings. Scalelite lists no deleted recordings, not even with `state=deleted`. */
export function deleteRecordings(balancer: Balancer, call: ApiCall): Answer {
  const ids = readRecordIds(call);
  const { recordings } = call.world;
  for (const recording of requireRecordings(balancer, call, ids)) recordings.splice(recordings.indexOf(recording), 1);
  return success({ deleted: true });
}

function readRecordIds({ parameters }: ApiCall): string[] {
  const ids = readList(parameters, 'recordID');
  if (ids.length === 0) throw refusal('recordIdMissing');
  return ids;
}

function requireRecordings(balancer: Balancer, call: ApiCall, ids: string[]): Recording[] {
  const recordings = balancer.recordingsDisabled ? [] : find(call, ids);
  if (recordings.length === 0) throw refusal('recordingsUnknown');
  return recordings;
}

function find({ world }: ApiCall, ids: string[]): Recording[] {
  return world.recordings.filter((recording) => isAvailable(recording) && ids.includes(recording.recordId));
}

function noRecordings(): Answer {
  return success({
    recordings: '',
    messageKey: 'noRecordings',
    message: 'There are not recordings for the meetings',
  });
}
