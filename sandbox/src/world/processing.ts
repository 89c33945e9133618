import { notifyHooks } from './callbacks/hooks.ts';
import type { Meeting } from './meeting.ts';
import { type FormatType, type Recording, minutesIn, recordingOf } from './recording.ts';
import { signToken } from './signed-token.ts';
import type { World } from './world.ts';

/** Creates the recording of an ended meeting if parts were marked. */
export function archive(world: World, meeting: Meeting, at: number): void {
  if (!meeting.settings.record) return;
  const recording = recordingOf(meeting, at, world.recordingFormats);
  const step = stepNotifier(world, { recordId: meeting.internalId, meetingId: meeting.externalId }, at);
  step('rap-archive-started');
  step('rap-archive-ended', { recorded: recording !== null, duration: meeting.recordedMs });
  if (!recording) return;
  world.recordings.push(recording);
  step('rap-sanity-started');
  step('rap-sanity-ended');
  for (const workflow of recording.formats) step('rap-process-started', { workflow });
}

/** Publishes processed recordings. @returns when the next one will be processed, or infinity */
export function publishProcessed(world: World, now: number): number {
  let next = Infinity;
  for (const recording of world.recordings) {
    if (recording.state !== 'processing') continue;
    if (recording.readyAt <= now) publish(world, recording, recording.readyAt);
    else next = Math.min(next, recording.readyAt);
  }
  return next;
}

/** Ends processing: all formats appear at once, and the requested callbacks are sent. */
export function publish(world: World, recording: Recording, at: number): void {
  recording.state = world.publishesRecordings ? 'published' : 'unpublished';
  const step = stepNotifier(world, recording, at);
  for (const workflow of recording.formats) {
    step('rap-process-ended', { workflow });
    step('rap-publish-started', { workflow });
    step('rap-publish-ended', { workflow, recording: describe(recording, workflow) });
    step('rap-post-publish-started', { workflow });
    step('rap-post-publish-ended', { workflow });
    queueReadyCallback(world, recording, at);
  }
}

/** Changes only published and unpublished recordings. */
export function setPublished(world: World, recording: Recording, isPublished: boolean): void {
  const state = isPublished ? 'published' : 'unpublished';
  if (recording.state === state || !isAvailable(recording)) return;
  recording.state = state;
  announceChange(world, recording, `rap-${state}`);
}

export function deleteRecording(world: World, recording: Recording): void {
  if (!isAvailable(recording)) return;
  recording.state = 'deleted';
  announceChange(world, recording, 'rap-deleted');
}

/** Processed and not deleted: only such recordings can be changed. */
export function isAvailable({ state }: Recording): boolean {
  return state === 'published' || state === 'unpublished';
}

/** One callback for each format. It is not retried. */
function queueReadyCallback(world: World, { readyUrl: url, meetingId, recordId }: Recording, at: number): void {
  if (url === null) return;
  world.callbacks.queue({
    kind: 'recording-ready',
    url,
    meetingId,
    at,
    retryDelaysMs: [],
    prepare(secret) {
      const token = signToken({ meeting_id: meetingId, record_id: recordId }, secret, tokenAlgorithm(world));
      return {
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ signed_parameters: token }).toString(),
      };
    },
    isAccepted: (status) => (status >= 200 && status < 300) || [401, 404, 410].includes(status),
  });
}

function tokenAlgorithm({ balancer }: World): 'HS256' | 'HS512' {
  return balancer?.checksumAlgorithms.every((algorithm) => algorithm === 'sha512') ? 'HS512' : 'HS256';
}

function announceChange(world: World, recording: Recording, type: string): void {
  const { recordId, meetingId } = recording;
  const at = world.clock.now();
  notifyHooks(
    world,
    { internalId: recordId, externalId: meetingId },
    { type, at, attributes: { 'record-id': recordId } },
  );
}

function stepNotifier(world: World, { recordId, meetingId }: Pick<Recording, 'recordId' | 'meetingId'>, at: number) {
  return (type: string, more: Record<string, unknown> = {}) => {
    const attributes = { 'record-id': recordId, success: true, 'step-time': 0, ...more };
    notifyHooks(world, { internalId: recordId, externalId: meetingId }, { type, at, attributes });
  };
}

function describe(recording: Recording, format: FormatType): Record<string, unknown> {
  const { name, isBreakout, startTime, endTime, sizeBytes } = recording;
  return {
    name,
    'is-breakout': isBreakout,
    'start-time': startTime,
    'end-time': endTime,
    size: sizeBytes,
    'raw-size': sizeBytes * 3,
    metadata: Object.fromEntries(recording.metadata),
    playback: { format, duration: minutesIn(recording.recordedMs) * 60_000, size: sizeBytes },
  };
}
