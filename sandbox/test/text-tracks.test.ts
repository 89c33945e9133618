import { expect, test } from 'vitest';
import { startTestSandbox } from './running-sandbox.ts';
import { sendRaw } from './raw-http.ts';
import { encode, sign } from './signed-call.ts';

const vtt = 'WEBVTT\n\n00:00.000 --> 00:01.000\nOlá!\n';

test('A text track can be uploaded, listed and downloaded', async () => {
  const { sandbox } = await startTestSandbox();
  const recordID = sandbox.control.plantRecording({ meetingID: 'demo' });
  expect(await listTracks(sandbox, recordID)).toEqual({ returncode: 'SUCCESS', tracks: [] });
  const put = await putTrack(sandbox, { recordID, kind: 'subtitles', lang: 'pt-br', label: 'Português' });
  expect(put).toEqual({
    messageKey: 'upload_text_track_success',
    message: 'Text track uploaded successfully',
    recordId: recordID,
    returncode: 'SUCCESS',
  });
  const href = `${sandbox.url}/captions/${recordID}/subtitles_pt-BR.vtt`;
  expect(await listTracks(sandbox, recordID)).toEqual({
    returncode: 'SUCCESS',
    tracks: [{ href, kind: 'subtitles', label: 'Português', lang: 'pt-BR', source: 'upload' }],
  });
  const file = await fetch(href);
  expect(file.headers.get('content-type')).toBe('text/vtt; charset=utf-8');
  expect(await file.text()).toBe(vtt);
  const page = await (await fetch(`${sandbox.url}/playback/presentation/2.3/${recordID}`)).text();
  expect(page).toContain(`/captions/${recordID}/subtitles_pt-BR.vtt`);
});

test('A text track replaces the one of the same kind and language', async () => {
  const { sandbox } = await startTestSandbox();
  const recordID = sandbox.control.plantRecording({ meetingID: 'demo' });
  await putTrack(sandbox, { recordID, kind: 'captions', lang: 'en', label: 'Old' });
  await putTrack(sandbox, { recordID, kind: 'captions', lang: 'en', label: 'New' });
  await putTrack(sandbox, { recordID, kind: 'captions', lang: 'de' });
  expect(await listTracks(sandbox, recordID)).toMatchObject({ tracks: [{ label: 'New' }, { label: 'de' }] });
});

test.each([
  ['text/xml', 404],
  ['text/xml, application/xml', 404],
  ['application/json', 200],
  ['application/json, */*;q=0.1', 200],
  ['*/*', 200],
])('With Accept: %s, text track calls return %i', async (accept, status) => {
  const { sandbox, api } = await startTestSandbox();
  const recordID = sandbox.control.plantRecording({ meetingID: 'demo' });
  for (const [call, method] of [
    ['getRecordingTextTracks', 'GET'],
    ['putRecordingTextTrack', 'POST'],
  ] as const) {
    const path = api.url(call, { recordID }).slice(sandbox.url.length);
    const answer = await sendRaw(sandbox.url, path, { method, headers: { accept } });
    expect(answer.status).toBe(status);
    if (status === 404) expect(answer.body).toBe('');
    else expect(answer.headers['content-type']).toContain('application/json');
  }
});

test.each(['recordID', 'kind', 'lang'])(
  'A text track without %s is rejected, and the error names it',
  async (missing) => {
    const { sandbox } = await startTestSandbox();
    const fields: Record<string, string> = { recordID: 'x', kind: 'captions', lang: 'en' };
    delete fields[missing];
    expect(await putTrack(sandbox, fields)).toEqual({
      returncode: 'FAILED',
      messageKey: 'paramError',
      message: `Missing param ${missing}.`,
    });
  },
);

test('Refusals are in JSON, including that of a wrong checksum', async () => {
  const { sandbox } = await startTestSandbox();
  const response = await fetch(`${sandbox.apiUrl}/getRecordingTextTracks?recordID=x&checksum=${'0'.repeat(40)}`);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    response: { returncode: 'FAILED', messageKey: 'checksumError', message: 'Checksums do not match' },
  });
  const put = await fetch(
    `${sandbox.apiUrl}/putRecordingTextTrack?${sign('putRecordingTextTrack', '', sandbox.secret)}`,
    {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: vtt,
    },
  );
  expect(await put.json()).toMatchObject({ response: { messageKey: 'unsupportedContentType' } });
});

interface Server {
  apiUrl: string;
  secret: string;
}

async function listTracks({ apiUrl, secret }: Server, recordID: string): Promise<unknown> {
  const url = `${apiUrl}/getRecordingTextTracks?${sign('getRecordingTextTracks', encode({ recordID }), secret)}`;
  return ((await (await fetch(url)).json()) as { response: unknown }).response;
}

async function putTrack({ apiUrl, secret }: Server, fields: Record<string, string>): Promise<unknown> {
  const form = new FormData();
  form.set('file', new File([vtt], 'track.vtt', { type: 'text/vtt' }));
  const url = `${apiUrl}/putRecordingTextTrack?${sign('putRecordingTextTrack', encode(fields), secret)}`;
  return ((await (await fetch(url, { method: 'POST', body: form })).json()) as { response: unknown }).response;
}
