import { appendQuery } from './callbacks.ts';
import type { Meeting } from '../meeting.ts';
import type { World } from '../world.ts';

/** Adds the recording marks and the meeting's id to meta_endCallbackUrl; meetingEndedURL is called unchanged. */
export function queueEndCallbacks(world: World, meeting: Meeting, at: number): void {
  if (meeting.parentId !== null) return;
  const endCallback = meeting.metadata.get('endcallbackurl');
  if (endCallback) {
    const addedParameters = new URLSearchParams({
      recordingmarks: String(meeting.hasRecordingMarks),
      meetingID: meeting.externalId,
    });
    queueGet(world, appendQuery(endCallback, addedParameters.toString()), meeting, at);
  }
  const { meetingEndedURL } = meeting.settings;
  if (meetingEndedURL) queueGet(world, meetingEndedURL, meeting, at);
}

function queueGet(world: World, url: string, meeting: Meeting, at: number): void {
  world.callbacks.queue({
    kind: 'end',
    url,
    meetingId: meeting.externalId,
    at,
    retryDelaysMs,
    prepare: () => ({ method: 'GET', url, headers: {}, body: null }),
    isAccepted: (status) => status >= 200 && status < 300,
  });
}

const retryDelaysMs = [30_000, 60_000, 120_000, 300_000];
