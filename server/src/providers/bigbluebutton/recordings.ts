import {
  type RecordingLookup,
  type Playback,
  type ProviderRecording,
  type RecordingFilter,
  type RecordingState,
  recordingStates,
} from '../meet.ts';
import { ProviderFailure } from '../provider-failure.ts';
import {
  type Element,
  element,
  elements,
  headcount,
  isTrue,
  moment,
  text,
  texts,
  wholeNumber,
} from './request/answer.ts';
import { callApi, callForList, type BigBlueButtonConnection } from './request/call-api.ts';
import type { Parameters } from './request/signed-request.ts';
import { parseUrl } from '../../platform/text/read-url.ts';

/** How many ids fit into a URL. */
const idsPerRequest = 80;
/** More than any recording has. */
const maxFormats = 100;
/** The largest page of a server. */
const pageSize = 100;

/** All recordings that match, each once. */
export async function recordings(
  connection: BigBlueButtonConnection,
  { meetingIds, recordingIds, states }: RecordingFilter,
  inPages: boolean,
): Promise<ProviderRecording[]> {
  if (states?.length === 0) return [];
  const byId = new Map<string, ProviderRecording>();
  for (const meetingID of batches(meetingIds)) {
    for (const recordID of batches(recordingIds)) {
      const filter = {
        ...(meetingID && { meetingID: meetingID.join(',') }),
        ...(recordID && { recordID: recordID.join(',') }),
        state: states?.join(',') ?? 'any',
      };
      const batch = inPages ? await everyPage(connection, filter) : (await requestPage(connection, filter)).readable;
      // A server matches ids by prefix, and a shared server may return recordings of others.
      const isWanted = (recording: ProviderRecording) =>
        (meetingIds?.includes(recording.meetingId) ?? true) && (recordingIds?.includes(recording.recordingId) ?? true);
      for (const recording of batch.filter(isWanted)) byId.set(recording.recordingId, recording);
    }
  }
  return [...byId.values()];
}

/** Looks recordings up by id. Broken recordings, which the server lists with an error, are returned only as ids. */
export async function findRecordings(
  connection: BigBlueButtonConnection,
  recordingIds: readonly string[],
): Promise<RecordingLookup> {
  const recordings: ProviderRecording[] = [];
  const brokenIds: string[] = [];
  for (const recordID of batches(recordingIds)) {
    // All of them fit into one page.
    const page = await requestPage(connection, { recordID: recordID?.join(',') ?? '', state: 'any' });
    recordings.push(...page.readable.filter(({ recordingId }) => recordingIds.includes(recordingId)));
    brokenIds.push(...page.brokenIds.filter((id) => recordingIds.includes(id)));
  }
  return { recordings, brokenIds };
}

/** @throws ProviderFailure `refused`, also if the call succeeds without the change */
export async function publishRecording(
  connection: BigBlueButtonConnection,
  recordingId: string,
  isPublished: boolean,
): Promise<void> {
  const wanted = String(isPublished);
  const answer = await callApi(connection, 'publishRecordings', { recordID: recordingId, publish: wanted });
  if (text(answer, 'published')?.toLowerCase() !== wanted) throw notDone(connection.providerId);
}

/** @throws ProviderFailure `refused`, also if the call succeeds without the deletion */
export async function deleteRecording(connection: BigBlueButtonConnection, recordingId: string): Promise<void> {
  try {
    const answer = await callApi(connection, 'deleteRecordings', { recordID: recordingId });
    if (!isTrue(answer, 'deleted')) throw notDone(connection.providerId);
  } catch (error) {
    if (!(error instanceof ProviderFailure && error.messageKey === 'notFound')) throw error;
  }
}

/** @throws ProviderFailure `refused`, also if the call succeeds without the change */
export async function updateRecording(
  connection: BigBlueButtonConnection,
  recordingId: string,
  metadata: Readonly<Record<string, string>>,
): Promise<void> {
  const parameters = Object.entries(metadata).map(([key, value]) => [`meta_${key}`, value]);
  const answer = await callApi(connection, 'updateRecordings', {
    recordID: recordingId,
    ...Object.fromEntries(parameters),
  });
  if (!isTrue(answer, 'updated')) throw notDone(connection.providerId);
}

/** One request if there is no filter, none if the filter is empty. */
function batches(ids: readonly string[] | undefined): (readonly string[] | null)[] {
  if (ids === undefined) return [null];
  const starts = Array.from({ length: Math.ceil(ids.length / idsPerRequest) }, (_, index) => index * idsPerRequest);
  return starts.map((start) => ids.slice(start, start + idsPerRequest));
}

/** Continues while a page is full and has new entries: old servers return everything for any page. */
async function everyPage(connection: BigBlueButtonConnection, filter: Parameters): Promise<ProviderRecording[]> {
  const byId = new Map<string, ProviderRecording>();
  for (let offset = 0; ; offset += pageSize) {
    const page = await requestPage(connection, { ...filter, offset: String(offset), limit: String(pageSize) });
    const countBefore = byId.size;
    for (const recording of page.readable) byId.set(recording.recordingId, recording);
    if (page.listed !== pageSize || byId.size === countBefore) return [...byId.values()];
  }
}

interface Page {
  /** How many entries it had, including broken ones. */
  readonly listed: number;
  readonly readable: readonly ProviderRecording[];
  readonly brokenIds: readonly string[];
}

async function requestPage(connection: BigBlueButtonConnection, parameters: Parameters): Promise<Page> {
  let listed = 0;
  const readable: ProviderRecording[] = [];
  const brokenIds: string[] = [];
  await callForList(connection, 'getRecordings', parameters, {
    name: 'recording',
    take(item) {
      listed += 1;
      const recording = readRecording(item, connection.recordingKbps);
      if (recording) readable.push(recording);
      const brokenId = text(element(item, 'error') ?? {}, 'recordID');
      if (brokenId !== null) brokenIds.push(brokenId);
    },
  });
  return { listed, readable, brokenIds };
}

/** Null for a broken recording, which is listed with an error in place of its parts. */
function readRecording(recording: Element, kbps: number | null): ProviderRecording | null {
  const recordingId = text(recording, 'recordID');
  const meetingId = text(recording, 'meetingID');
  if (!recordingId || !meetingId) return null;
  const published = isTrue(recording, 'published');
  const playback = element(recording, 'playback');
  const formats = playback ? firstOfEachType(elements(playback, 'format').slice(0, maxFormats)) : [];
  const times = { startedAtMs: moment(recording, 'startTime'), endedAtMs: moment(recording, 'endTime') };
  const reported = sizeIn(recording, formats);
  const state = readState(recording) ?? (published ? 'published' : 'unpublished');
  const isReady = state === 'published' || state === 'unpublished';
  const estimate = reported === null && isReady ? estimateSize(formats, times, kbps) : null;
  return {
    recordingId,
    meetingId,
    internalId: text(recording, 'internalMeetingID') || recordingId,
    name: text(recording, 'name') ?? '',
    state,
    published,
    ...times,
    participantCount: headcount(recording, 'participants'),
    sizeBytes: reported ?? estimate,
    isSizeEstimated: estimate !== null,
    problem: null,
    metadata: texts(recording, 'metadata'),
    isProtected: isTrue(recording, 'protected'),
    playback: formats.flatMap((format) => readPlayback(format) ?? []),
  };
}

function firstOfEachType(formats: readonly Element[]): Element[] {
  const types = formats.map((format) => text(format, 'type'));
  return formats.filter((_, index) => types.indexOf(types[index] ?? null) === index);
}

/** Sizes that are not plausible count as unknown, so that they do not use up the storage limit. */
const maxSizeBytes = 10_000_000_000_000;

/** The size of the recording, or of its formats together; null if neither is reported. */
function sizeIn(recording: Element, formats: readonly Element[]): number | null {
  const plausibleSize = (parent: Element) => {
    const size = wholeNumber(parent, 'size');
    return size !== null && size > 0 && size <= maxSizeBytes ? size : 0;
  };
  const total = formats.reduce((sum, format) => sum + plausibleSize(format), 0);
  return plausibleSize(recording) || total || null;
}

interface Times {
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
}

/** Estimated from its longest format or the recorded time; null if that or the bit rate is unknown. */
function estimateSize(formats: readonly Element[], { startedAtMs, endedAtMs }: Times, kbps: number | null) {
  const minutes = Math.max(0, ...formats.map((format) => wholeNumber(format, 'length') ?? 0));
  const recordedMs = startedAtMs === null || endedAtMs === null ? 0 : Math.max(0, endedAtMs - startedAtMs);
  const seconds = minutes > 0 ? minutes * 60 : recordedMs / 1000;
  const bytes = kbps === null ? 0 : Math.min(Math.round((seconds * kbps * 1000) / 8), maxSizeBytes);
  return bytes > 0 ? bytes : null;
}

function readState(recording: Element): RecordingState | undefined {
  const state = text(recording, 'state')?.toLowerCase();
  return recordingStates.find((candidate) => candidate === state);
}

/** Null unless it is an http or https address. */
function readPlayback(format: Element): Playback | null {
  const url = text(format, 'url') ?? '';
  if (!isWebAddress(url)) return null;
  return {
    type: text(format, 'type') ?? '',
    url,
    lengthMinutes: wholeNumber(format, 'length') ?? 0,
  };
}

export function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url) && parseUrl(url) !== null;
}

function notDone(providerId: string): ProviderFailure {
  return new ProviderFailure('refused', providerId, 'The provider answered, but did not make the change.', {
    messageKey: 'notDone',
  });
}
