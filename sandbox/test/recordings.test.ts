import { expect, test } from 'vitest';
import type { Sandbox } from '../src/index.ts';
import { demoMeeting, runningSandbox, startOfTests } from './running-sandbox.ts';
import type { Caller } from './signed-call.ts';

test('A recorded meeting leaves a recording once it has been processed', async () => {
  const { sandbox, api } = await runningSandbox();
  const recordId = await recordMeeting(sandbox, api, { 'meta_bbb-origin': 'foyer' });
  expect((await api.call('getRecordings')).messageKey).toBe('noRecordings');
  expect(await listedIds(api, { state: 'processing' })).toEqual([recordId]);
  sandbox.control.advanceClock(10_000);
  const { elements } = await api.call('getRecordings');
  const url = `${sandbox.url}/playback/presentation/2.3/${recordId}`;
  expect(elements['recordings']).toMatchObject({
    recording: [
      {
        recordID: recordId,
        meetingID: 'demo',
        internalMeetingID: recordId,
        name: 'Demo',
        isBreakout: 'false',
        published: 'true',
        state: 'published',
        startTime: String(startOfTests),
        endTime: String(startOfTests + 20 * 60_000),
        participants: '1',
        metadata: {
          isBreakout: 'false',
          meetingId: 'demo',
          meetingName: 'Demo',
          'bbb-origin': 'foyer',
        },
        playback: {
          format: [{ type: 'presentation', url, length: '20', processingTime: '10000' }],
        },
      },
    ],
  });
  expect(await (await fetch(url)).text()).toContain('Demo');
});

test('Processing can be finished at once', async () => {
  const { sandbox, api } = await runningSandbox();
  const recordId = await recordMeeting(sandbox, api);
  sandbox.control.finishRecordings();
  expect(await listedIds(api, {})).toEqual([recordId]);
});

test.each<[string, Record<string, string>, boolean]>([
  ['record is off', { record: 'false' }, true],
  ['nobody pressed the button', { record: 'true' }, false],
])('Nothing is left when %s', async (_why, parameters, presses) => {
  const { sandbox, api } = await runningSandbox();
  await api.call('create', demoMeeting(parameters));
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna' });
  if (presses) expect(() => sandbox.control.setRecording('demo', true)).toThrow('record=true');
  await api.call('end', { meetingID: 'demo' });
  expect(await listedIds(api, { state: 'any' })).toEqual([]);
});

test('autoStartRecording begins with the first user', async () => {
  const { sandbox, api } = await runningSandbox();
  await api.call('create', demoMeeting({ record: 'true', autoStartRecording: 'true' }));
  expect(sandbox.control.state().meetings[0]?.isRecording).toBe(false);
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna' });
  expect(sandbox.control.state().meetings[0]?.isRecording).toBe(true);
});

test('Recordings are found by meeting, by the beginning of their id, by metadata and by state', async () => {
  const { sandbox, api } = await runningSandbox();
  const first = await recordMeeting(sandbox, api, { meta_course: 'one' });
  const again = await recordMeeting(sandbox, api, { meta_course: 'two' });
  const other = await recordMeeting(sandbox, api, { meetingID: 'other', meta_course: 'two' });
  sandbox.control.finishRecordings();
  expect(await listedIds(api, { meetingID: 'demo' })).toEqual([first, again]);
  expect(await listedIds(api, { meetingID: 'demo,other' })).toEqual([first, again, other]);
  expect(await listedIds(api, { meetingID: again })).toEqual([again]);
  expect(await listedIds(api, { meetingID: 'nobody' })).toEqual([]);
  expect(await listedIds(api, { recordID: first })).toEqual([first]);
  expect(await listedIds(api, { recordID: first.slice(0, 40) })).toEqual([first, again]);
  expect(await listedIds(api, { recordID: `${other},${first}` })).toEqual([first, other]);
  expect(await listedIds(api, { meta_course: 'two' })).toEqual([again, other]);
  expect(await listedIds(api, { meta_course: 'two', meetingID: 'other' })).toEqual([other]);
  expect(await listedIds(api, { state: 'unpublished' })).toEqual([]);
  expect(await listedIds(api, { state: 'published,unpublished' })).toHaveLength(3);
  expect(await listedIds(api, { state: 'any' })).toHaveLength(3);
});

test('Pages are cut from the list, and the total is told', async () => {
  const { sandbox, api } = await runningSandbox();
  const ids = [];
  for (const meetingID of ['aa', 'bb', 'cc']) {
    ids.push(await recordMeeting(sandbox, api, { meetingID }));
  }
  sandbox.control.finishRecordings();
  expect(await listedIds(api, { limit: '2' })).toEqual(ids.slice(0, 2));
  expect(await listedIds(api, { offset: '2', limit: '2' })).toEqual(ids.slice(2));
  expect((await api.call('getRecordings', { limit: '2' })).elements['totalElements']).toBe('3');
  expect((await api.call('getRecordings', { offset: '9' })).messageKey).toBe('noRecordings');
});

test.each([{ limit: '0' }, { limit: '101' }, { limit: 'x' }, { offset: '-1' }, { state: 'lost' }])(
  'A faulty filter is refused: %o',
  async (filter) => {
    const { api } = await runningSandbox();
    expect((await api.call('getRecordings', filter)).messageKey).toBe('validationError');
  },
);

/** Twenty minutes with one user, recorded and ended; its recordID. */
async function recordMeeting(sandbox: Sandbox, api: Caller, parameters: Record<string, string> = {}): Promise<string> {
  const { elements } = await api.call('create', demoMeeting({ record: 'true', ...parameters }));
  const meetingID = String(elements['meetingID']);
  sandbox.control.joinUser({ meetingID, fullName: 'Anna', userID: 'a' });
  sandbox.control.setRecording(meetingID, true);
  sandbox.control.advanceClock(20 * 60_000);
  await api.call('end', { meetingID });
  return String(elements['internalMeetingID']);
}

async function listedIds(api: Caller, filter: Record<string, string>): Promise<string[]> {
  const { elements } = await api.call('getRecordings', filter);
  const list = elements['recordings'] as { recording: { recordID: string }[] } | '';
  return list === '' ? [] : list.recording.map(({ recordID }) => recordID);
}
