import { expect, test } from 'vitest';
import { calls } from '../src/api/calls.ts';
import { demoMeeting, startTestSandbox } from './running-sandbox.ts';
import { encode, readAnswer, sign } from './signed-call.ts';

const allParameters = demoMeeting({
  fullName: 'Anna',
  role: 'VIEWER',
  redirect: 'false',
  recordID: 'known',
  publish: 'true',
  callbackURL: 'http://h.example/',
  hookID: 'unknown',
});
const callNames = [...calls.keys()];
const formCalls = [...calls].filter(([, { bodies }]) => bodies.includes('application/x-www-form-urlencoded'));

test('Only the listed calls accept forms', () => {
  expect(formCalls.map(([name]) => name)).toEqual([
    'create',
    'isMeetingRunning',
    'getMeetingInfo',
    'getMeetings',
    'getSessions',
    'end',
    'getRecordings',
    'updateRecordings',
    'getRecordingTextTracks',
    'hooks/create',
    'hooks/list',
    'hooks/destroy',
  ]);
});

test.each(formCalls.map(([name]) => name))('%s returns the same answer for a form as for a query', async (name) => {
  const answers = await Promise.all([
    ask(name, (url) => fetch(`${url}?${sign(name, encode(allParameters), 'sandbox-secret')}`)),
    ask(name, (url) => fetch(`${url}?${sign(name, '', 'sandbox-secret')}`, post(new URLSearchParams(allParameters)))),
    ask(name, (url) => fetch(`${url}?${sign(name, '', 'sandbox-secret')}`, post(formData(allParameters)))),
    ask(name, (url) => fetch(url, post(new URLSearchParams([...Object.entries(allParameters), ...checksum(name)])))),
  ]);
  expect(answers[0]).not.toContain('checksumError');
  expect(new Set(answers.map(withoutIds)).size).toBe(1);
});

test.each(callNames)('%s rejects other HTTP methods than its own', async (name) => {
  for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
    if (calls.get(name)?.methods.includes(method)) continue;
    const answer = await ask(name, (url) => fetch(`${url}?${sign(name, '', 'sandbox-secret')}`, { method }));
    expect(readAnswer(answer).messageKey, method).toBe('unsupportedRequest');
  }
});

test.each([...calls].filter(([, { methods }]) => methods.includes('POST')).map(([name]) => name))(
  '%s rejects a body of an unsupported content type',
  async (name) => {
    const send = (url: string) => fetch(url, { method: 'POST', headers: { 'content-type': 'image/png' }, body: 'x' });
    expect(await ask(name, send)).toContain('unsupportedContentType');
  },
);

/** Sends a request to a sandbox with a meeting and a recording. @returns the answer */
async function ask(name: string, send: (url: string) => Promise<Response>): Promise<string> {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ voiceBridge: '71234' }));
  sandbox.control.plantRecording({ meetingID: 'demo', recordID: 'known' });
  const response = await send(`${sandbox.apiUrl}/${name}`);
  return (await response.text()).replaceAll(sandbox.url, '');
}

function post(body: URLSearchParams | FormData): RequestInit {
  return { method: 'POST', body };
}

function formData(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

function checksum(name: string): [string, string][] {
  return [...new URLSearchParams(sign(name, '', 'sandbox-secret'))];
}

function withoutIds(answer: string): string {
  return answer.replace(/<hookID>[^<]*</, '<hookID><');
}
