import { expect, test } from 'vitest';
import { listRecordingIds, listRecordings, recordMeeting } from './recorded-meeting.ts';
import { demoMeeting, startTestSandbox, startOfTests } from './running-sandbox.ts';

test('A recorded meeting leaves a recording once it has been processed', async () => {
  const { sandbox, api } = await startTestSandbox();
  const recordId = await recordMeeting(sandbox, api, { 'meta_bbb-origin': 'foyer' });
  expect((await api.call('getRecordings')).messageKey).toBe('noRecordings');
  expect(await listRecordingIds(api, { state: 'processing' })).toEqual([recordId]);
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
  const { sandbox, api } = await startTestSandbox();
  const recordId = await recordMeeting(sandbox, api);
  sandbox.control.finishRecordings();
  expect(await listRecordingIds(api, {})).toEqual([recordId]);
});

test.each<[string, Record<string, string>, boolean]>([
  ['record is off', { record: 'false' }, true],
  ['the button was not pressed', { record: 'true' }, false],
])('No recording is created when %s', async (_why, parameters, pressesButton) => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting(parameters));
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna' });
  if (pressesButton) expect(() => sandbox.control.setRecording('demo', true)).toThrow('record=true');
  await api.call('end', { meetingID: 'demo' });
  expect(await listRecordingIds(api, { state: 'any' })).toEqual([]);
});

test('With autoStartRecording, the recording starts with the first user', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ record: 'true', autoStartRecording: 'true' }));
  expect(sandbox.control.state().meetings[0]?.isRecording).toBe(false);
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Anna' });
  expect(sandbox.control.state().meetings[0]?.isRecording).toBe(true);
});

test('Recordings are found by meeting, by the beginning of their id, by metadata and by state', async () => {
  const { sandbox, api } = await startTestSandbox();
  const first = await recordMeeting(sandbox, api, { meta_course: 'one' });
  const second = await recordMeeting(sandbox, api, { meta_course: 'two' });
  const other = await recordMeeting(sandbox, api, { meetingID: 'other', meta_course: 'two' });
  sandbox.control.finishRecordings();
  expect(await listRecordingIds(api, { meetingID: 'demo' })).toEqual([first, second]);
  expect(await listRecordingIds(api, { meetingID: 'demo,other' })).toEqual([first, second, other]);
  expect(await listRecordingIds(api, { meetingID: second })).toEqual([second]);
  expect(await listRecordingIds(api, { meetingID: 'unknown' })).toEqual([]);
  expect(await listRecordingIds(api, { recordID: first })).toEqual([first]);
  expect(await listRecordingIds(api, { recordID: first.slice(0, 40) })).toEqual([first, second]);
  expect(await listRecordingIds(api, { recordID: `${other},${first}` })).toEqual([first, other]);
  expect(await listRecordingIds(api, { meta_course: 'two' })).toEqual([second, other]);
  expect(await listRecordingIds(api, { meta_course: 'two', meetingID: 'other' })).toEqual([other]);
  expect(await listRecordingIds(api, { state: 'unpublished' })).toEqual([]);
  expect(await listRecordingIds(api, { state: 'published,unpublished' })).toHaveLength(3);
  expect(await listRecordingIds(api, { state: 'any' })).toHaveLength(3);
});

test('Only the time while recording is on counts toward the length of a recording', async () => {
  const { sandbox, api } = await startTestSandbox();
  const { control } = sandbox;
  await api.call('create', demoMeeting({ record: 'true' }));
  control.joinUser({ meetingID: 'demo', fullName: 'Anna' });
  for (const [isRecording, minutes] of [
    [false, 5],
    [true, 10],
    [false, 5],
    [true, 2],
  ] as const) {
    control.setRecording('demo', isRecording);
    control.advanceClock(minutes * 60_000);
  }
  control.endMeeting('demo');
  control.finishRecordings();
  const [recording] = await listRecordings(api, {});
  expect(recording?.playback).toMatchObject({ format: [{ length: '12' }] });
});

test('A recording can have several formats, each with its own playback page', async () => {
  const { sandbox, api } = await startTestSandbox({ recordingFormats: ['presentation', 'video', 'notes'] });
  await recordMeeting(sandbox, api);
  sandbox.control.finishRecordings();
  const [recording] = await listRecordings(api, {});
  const formats = recording?.playback === '' ? [] : (recording?.playback.format ?? []);
  expect(formats.map(({ type }) => type)).toEqual(['presentation', 'video', 'notes']);
  for (const { url } of formats) expect((await fetch(url)).status).toBe(200);
});

test('A recordID takes precedence over a meetingID', async () => {
  const { sandbox, api } = await startTestSandbox();
  const first = await recordMeeting(sandbox, api);
  const other = await recordMeeting(sandbox, api, { meetingID: 'other' });
  sandbox.control.finishRecordings();
  expect(await listRecordingIds(api, { meetingID: 'demo', recordID: other })).toEqual([other]);
  expect(await listRecordingIds(api, { meetingID: 'other', recordID: first })).toEqual([first]);
});

test('A broken recording is listed with an error instead of its data', async () => {
  const { sandbox, api } = await startTestSandbox();
  const recordId = sandbox.control.plantRecording({ meetingID: 'old' });
  sandbox.control.breakRecording(recordId);
  const { xml } = await api.call('getRecordings');
  expect(xml).toContain(`<recording><error><recordID>${recordId}</recordID></error></recording>`);
});

test('Recordings can be added and removed without a callback', async () => {
  const { sandbox, api } = await startTestSandbox();
  const { control } = sandbox;
  const recordId = control.plantRecording({ meetingID: 'old', name: 'Old', metadata: { 'bbb-origin': 'elsewhere' } });
  control.plantRecording({ meetingID: 'older', state: 'deleted' });
  expect(await listRecordings(api, { meetingID: 'old' })).toMatchObject([
    { recordID: recordId, name: 'Old', state: 'published', metadata: { 'bbb-origin': 'elsewhere' } },
  ]);
  expect(await listRecordingIds(api, { state: 'deleted' })).toHaveLength(1);
  control.loseRecording(recordId);
  expect(await listRecordingIds(api, { meetingID: 'old', state: 'any' })).toEqual([]);
  expect(() => control.loseRecording(recordId)).toThrow('no such recording');
});

test('The recordings of breakout rooms and of their meeting refer to each other', async () => {
  const { sandbox, api } = await startTestSandbox();
  const { control } = sandbox;
  const parent = (await api.call('create', demoMeeting({ record: 'true' }))).elements['internalMeetingID'];
  const room = { meetingID: 'room', name: 'Room', isBreakout: 'true', parentMeetingID: 'demo', sequence: '1' };
  const child = (await api.call('create', { ...room, record: 'true' })).elements['internalMeetingID'];
  for (const meetingID of ['demo', 'room']) {
    control.joinUser({ meetingID, fullName: 'Anna' });
    control.setRecording(meetingID, true);
  }
  control.endMeeting('demo');
  control.finishRecordings();
  const { xml } = await api.call('getRecordings');
  expect(xml).toContain(`<breakoutRooms><breakoutRoom>${String(child)}</breakoutRoom></breakoutRooms>`);
  expect(xml).toContain(`<breakout><parentId>${String(parent)}</parentId><sequence>1</sequence>`);
});

test('Lists are paginated and return a total', async () => {
  const { sandbox, api } = await startTestSandbox();
  const ids = [];
  for (const meetingID of ['aa', 'bb', 'cc']) {
    ids.push(await recordMeeting(sandbox, api, { meetingID }));
  }
  sandbox.control.finishRecordings();
  expect(await listRecordingIds(api, { limit: '2' })).toEqual(ids.slice(0, 2));
  expect(await listRecordingIds(api, { offset: '2', limit: '2' })).toEqual(ids.slice(2));
  expect((await api.call('getRecordings', { limit: '2' })).elements['totalElements']).toBe('3');
  expect((await api.call('getRecordings', { offset: '9' })).messageKey).toBe('noRecordings');
});

test.each([{ limit: '0' }, { limit: '101' }, { limit: 'x' }, { offset: '-1' }, { state: 'lost' }])(
  'A faulty filter is rejected: %o',
  async (filter) => {
    const { api } = await startTestSandbox();
    expect((await api.call('getRecordings', filter)).messageKey).toBe('validationError');
  },
);
