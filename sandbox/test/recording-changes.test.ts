import { expect, test } from 'vitest';
import { listRecordingIds, listRecordings, recordMeeting } from './recorded-meeting.ts';
import { startTestSandbox } from './running-sandbox.ts';
import { sign, encode, readAnswer } from './signed-call.ts';

test('Recordings can be unpublished and published again, and keep their playback formats', async () => {
  const { sandbox, api } = await startTestSandbox();
  const ids = [await recordMeeting(sandbox, api), await recordMeeting(sandbox, api, { meetingID: 'other' })];
  sandbox.control.finishRecordings();
  const recordID = ids.join(',');
  expect((await api.call('publishRecordings', { recordID, publish: 'false' })).elements).toMatchObject({
    returncode: 'SUCCESS',
    published: 'false',
  });
  const unpublished = await listRecordings(api, { state: 'unpublished' });
  expect(unpublished).toMatchObject([{ published: 'false' }, { published: 'false' }]);
  expect(unpublished[0]?.playback).toMatchObject({ format: [{ type: 'presentation' }] });
  expect((await api.call('publishRecordings', { recordID, publish: 'TRUE' })).elements['published']).toBe('true');
  expect(await listRecordingIds(api, { state: 'published' })).toEqual(ids);
});

test('An unpublished recording cannot be watched', async () => {
  const { sandbox, api } = await startTestSandbox();
  const recordID = await recordMeeting(sandbox, api);
  sandbox.control.finishRecordings();
  const page = `${sandbox.url}/playback/presentation/2.3/${recordID}`;
  expect((await fetch(page)).status).toBe(200);
  await api.call('publishRecordings', { recordID, publish: 'false' });
  expect((await fetch(page)).status).toBe(404);
});

test('A deleted recording is only listed if deleted ones are requested, and can no longer be changed', async () => {
  const { sandbox, api } = await startTestSandbox();
  const recordID = await recordMeeting(sandbox, api);
  sandbox.control.finishRecordings();
  expect((await api.call('deleteRecordings', { recordID })).elements).toMatchObject({
    returncode: 'SUCCESS',
    deleted: 'true',
  });
  expect(await listRecordingIds(api, {})).toEqual([]);
  expect(await listRecordingIds(api, { state: 'deleted' })).toEqual([recordID]);
  expect(await listRecordingIds(api, { state: 'any' })).toEqual([recordID]);
  for (const [call, parameters] of [
    ['deleteRecordings', {}],
    ['publishRecordings', { publish: 'true' }],
    ['updateRecordings', { meta_name: 'x' }],
  ] as const) {
    expect((await api.call(call, { recordID, ...parameters })).messageKey).toBe('notFound');
  }
});

test('Metadata is set, and removed by an empty value, and its names are stored in lower case', async () => {
  const { sandbox, api } = await startTestSandbox();
  const recordID = await recordMeeting(sandbox, api, { meta_course: 'one', meta_term: 'spring' });
  sandbox.control.finishRecordings();
  const changes = { recordID, meta_Course: 'two', meta_term: '', meta_bad_name: 'x', 'meta_bbb-recording-name': 'A' };
  expect((await api.call('updateRecordings', changes)).elements).toMatchObject({
    returncode: 'SUCCESS',
    updated: 'true',
  });
  const [recording] = await listRecordings(api, {});
  expect(recording?.metadata).toEqual({
    isBreakout: 'false',
    meetingId: 'demo',
    meetingName: 'Demo',
    course: 'two',
    'bbb-recording-name': 'A',
  });
  expect(recording?.name).toBe('Demo');
});

test('Recordings can be updated by a form whose checksum covers the query string only', async () => {
  const { sandbox, api } = await startTestSandbox();
  const recordID = await recordMeeting(sandbox, api);
  sandbox.control.finishRecordings();
  const response = await fetch(`${sandbox.apiUrl}/updateRecordings?${sign('updateRecordings', '', sandbox.secret)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: encode({ recordID, meta_name: 'New' }),
  });
  expect(readAnswer(await response.text()).elements['updated']).toBe('true');
  expect((await listRecordings(api, {}))[0]?.metadata['name']).toBe('New');
});

test.each(['publishRecordings', 'deleteRecordings'])('%s rejects a form in the body', async (call) => {
  const { sandbox } = await startTestSandbox();
  const response = await fetch(`${sandbox.apiUrl}/${call}?${sign(call, '', sandbox.secret)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'recordID=x&publish=true',
  });
  expect(readAnswer(await response.text()).messageKey).toBe('unsupportedRequest');
});

test('Unknown recordings in a list with at least one known recording are ignored', async () => {
  const { sandbox, api } = await startTestSandbox();
  const recordID = await recordMeeting(sandbox, api);
  const other = await recordMeeting(sandbox, api, { meetingID: 'other' });
  sandbox.control.finishRecordings();
  expect((await api.call('deleteRecordings', { recordID: `unknown,${recordID}` })).returncode).toBe('SUCCESS');
  expect(await listRecordingIds(api, {})).toEqual([other]);
});

test('A recording cannot be changed while it is being processed', async () => {
  const { sandbox, api } = await startTestSandbox();
  const recordID = await recordMeeting(sandbox, api);
  expect((await api.call('publishRecordings', { recordID, publish: 'false' })).messageKey).toBe('notFound');
  sandbox.control.finishRecordings();
  expect(await listRecordingIds(api, { state: 'published' })).toEqual([recordID]);
});

test('A server can leave recordings unpublished until publishRecordings is called', async () => {
  const { sandbox, api } = await startTestSandbox({ publishesRecordings: false });
  const recordID = await recordMeeting(sandbox, api);
  sandbox.control.finishRecordings();
  expect(await listRecordingIds(api, { state: 'unpublished' })).toEqual([recordID]);
  await api.call('publishRecordings', { recordID, publish: 'true' });
  expect(await listRecordingIds(api, { state: 'published' })).toEqual([recordID]);
});
