import type { Sandbox } from '../src/index.ts';
import { demoMeeting } from './running-sandbox.ts';
import type { Caller } from './signed-call.ts';

/** Records a meeting of twenty minutes with one user. @returns its recordID */
export async function recordMeeting(
  sandbox: Sandbox,
  api: Caller,
  parameters: Record<string, string> = {},
): Promise<string> {
  const { elements } = await api.call('create', demoMeeting({ record: 'true', ...parameters }));
  const meetingID = String(elements['meetingID']);
  sandbox.control.joinUser({ meetingID, fullName: 'Anna', userID: 'a' });
  sandbox.control.setRecording(meetingID, true);
  sandbox.control.advanceClock(20 * 60_000);
  await api.call('end', { meetingID });
  return String(elements['internalMeetingID']);
}

export async function listRecordingIds(api: Caller, filter: Record<string, string>): Promise<string[]> {
  return (await listRecordings(api, filter)).map(({ recordID }) => recordID);
}

export interface ListedRecording {
  recordID: string;
  meetingID: string;
  name: string;
  published: string;
  state: string;
  metadata: Record<string, string>;
  playback: { format: { type: string; url: string; length: string }[] } | '';
}

export async function listRecordings(api: Caller, filter: Record<string, string>): Promise<ListedRecording[]> {
  const { elements } = await api.call('getRecordings', filter);
  const list = elements['recordings'] as { recording: ListedRecording[] } | '';
  return list === '' ? [] : list.recording;
}
