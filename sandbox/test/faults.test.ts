import { expect, test } from 'vitest';
import type { FaultRequest } from '../src/index.ts';
import { demoMeeting, startTestSandbox } from './running-sandbox.ts';
import { readAnswer } from './signed-call.ts';

test('A fault affects only its call, the configured number of times', async () => {
  const { sandbox, api } = await startTestSandbox();
  sandbox.control.injectFault({ kind: 'http-error', call: 'getMeetings', times: 2 });
  const statuses = [];
  for (let round = 0; round < 3; round++) {
    expect((await fetch(api.url('getSessions'))).status).toBe(200);
    statuses.push((await fetch(api.url('getMeetings'))).status);
  }
  expect(statuses).toEqual([500, 500, 200]);
  expect(sandbox.control.state().faults).toEqual([]);
});

test('A fault for every call, including the root, lasts until it is cleared', async () => {
  const { sandbox, api } = await startTestSandbox();
  sandbox.control.injectFault({ kind: 'http-error', status: 503, times: null });
  expect((await fetch(api.url('getMeetings'))).status).toBe(503);
  expect((await fetch(sandbox.apiUrl)).status).toBe(503);
  sandbox.control.clearFaults();
  expect((await fetch(sandbox.apiUrl)).status).toBe(200);
});

test('A fault for one call takes precedence over one for every call, and is cleared separately', async () => {
  const { sandbox, api } = await startTestSandbox();
  sandbox.control.injectFault({ kind: 'http-error', times: null });
  sandbox.control.injectFault({ kind: 'html-page', call: 'getMeetings', times: null });
  expect((await fetch(api.url('getMeetings'))).status).toBe(200);
  sandbox.control.clearFaults('getMeetings');
  expect((await fetch(api.url('getMeetings'))).status).toBe(500);
});

test.each<[string, FaultRequest, RegExp, RegExp]>([
  ['an HTML page', { kind: 'html-page' }, /text\/html/, /^<!DOCTYPE html>/],
  ['truncated XML', { kind: 'truncated-xml' }, /text\/xml/, /^<response>(?!.*<\/response>)/],
  ['malformed XML', { kind: 'malformed-xml' }, /text\/xml/, /<a><\/b>/],
  ['an entity expansion bomb', { kind: 'entity-bomb' }, /text\/xml/, /^<!DOCTYPE response \[<!ENTITY/],
  ['XML of another format', { kind: 'wrong-content' }, /text\/xml/, /^<rss/],
])('The answer can be replaced by %s', async (_case, fault, type, body) => {
  const { sandbox, api } = await startTestSandbox();
  sandbox.control.injectFault(fault);
  const response = await fetch(api.url('getMeetings'));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(type);
  expect(await response.text()).toMatch(body);
});

test('An answer can be too large', async () => {
  const { sandbox, api } = await startTestSandbox();
  sandbox.control.injectFault({ kind: 'oversize', bytes: 7_000_000 });
  expect((await (await fetch(api.url('getMeetings'))).text()).length).toBeGreaterThan(7_000_000);
});

test('An answer can be a redirect', async () => {
  const { sandbox, api } = await startTestSandbox();
  sandbox.control.injectFault({ kind: 'redirect', location: 'http://example.com/' });
  const response = await fetch(api.url('getMeetings'), { redirect: 'manual' });
  expect(response.status).toBe(302);
  expect(response.headers.get('location')).toBe('http://example.com/');
});

test('A delayed answer is correct', async () => {
  const { sandbox, api } = await startTestSandbox();
  sandbox.control.injectFault({ kind: 'delay', milliseconds: 20 });
  expect((await api.call('create', demoMeeting())).returncode).toBe('SUCCESS');
});

test('A delayed answer is sent when the faults of its call are cleared', async () => {
  const { sandbox, api } = await startTestSandbox();
  sandbox.control.injectFault({ kind: 'delay', call: 'create', milliseconds: 3_600_000 });
  sandbox.control.injectFault({ kind: 'delay', call: 'getMeetings', milliseconds: 3_600_000 });
  let isCreated = false;
  const creating = api.call('create', demoMeeting()).then((answer) => {
    isCreated = true;
    return answer;
  });
  const listing = fetch(api.url('getMeetings'));
  while (sandbox.control.calls().length < 2) await new Promise(setImmediate);
  sandbox.control.clearFaults('getMeetings');
  expect((await listing).status).toBe(200);
  expect(isCreated).toBe(false);
  sandbox.control.clearFaults();
  expect((await creating).returncode).toBe('SUCCESS');
});

test('The connection can be closed', async () => {
  const { sandbox, api } = await startTestSandbox();
  sandbox.control.injectFault({ kind: 'connection-reset' });
  await expect(fetch(api.url('getMeetings'))).rejects.toThrow('fetch failed');
});

test('An answer can be cut off in the middle, after the call took effect', async () => {
  const { sandbox, api } = await startTestSandbox();
  sandbox.control.injectFault({ kind: 'half-answer', call: 'create' });
  const response = await fetch(api.url('create', demoMeeting()));
  expect(Number(response.headers.get('content-length'))).toBeGreaterThan(100);
  await expect(response.text()).rejects.toThrow('terminated');
  expect(sandbox.control.state().meetings).toHaveLength(1);
});

test('An answer can be sent byte by byte', async () => {
  const { sandbox, api } = await startTestSandbox();
  sandbox.control.injectFault({ kind: 'trickle' });
  const response = await fetch(api.url('getMeetings'));
  const reader = response.body?.getReader();
  expect((await reader?.read())?.value).toHaveLength(1);
  await reader?.cancel();
});

test('A hanging call gets no answer, and closing the sandbox aborts it', async () => {
  const { sandbox, api } = await startTestSandbox();
  sandbox.control.injectFault({ kind: 'hang' });
  const hanging = fetch(api.url('getMeetings'));
  const aborted = expect(hanging).rejects.toThrow('fetch failed');
  while (sandbox.control.calls().length === 0) await new Promise(setImmediate);
  await sandbox.close();
  await aborted;
});

test('Closing the sandbox also aborts a call with a long delay', async () => {
  const { sandbox, api } = await startTestSandbox();
  sandbox.control.injectFault({ kind: 'delay', milliseconds: 3_600_000 });
  const aborted = expect(fetch(api.url('getMeetings'))).rejects.toThrow('fetch failed');
  while (sandbox.control.calls().length === 0) await new Promise(setImmediate);
  await sandbox.close();
  await aborted;
});

test.each<[string, boolean, number]>([
  ['does not take effect', false, 0],
  ['takes effect', true, 1],
])('A call whose answer is lost %s with applied: %s', async (_effect, applied, count) => {
  const { sandbox, api } = await startTestSandbox();
  sandbox.control.injectFault({ kind: 'connection-reset', call: 'create', applied });
  await expect(fetch(api.url('create', demoMeeting()))).rejects.toThrow('fetch failed');
  expect(sandbox.control.state().meetings).toHaveLength(count);
});

test('Calls are logged with parameters and outcome, without checksum and secret', async () => {
  const { sandbox, api } = await startTestSandbox();
  await fetch(sandbox.apiUrl);
  await api.call('create', demoMeeting());
  await fetch(`${sandbox.apiUrl}/getMeetings?checksum=${'0'.repeat(40)}&a=1`);
  sandbox.control.injectFault({ kind: 'html-page' });
  await fetch(api.url('getSessions'));
  expect(sandbox.control.calls()).toMatchObject([
    { call: 'root', method: 'GET', query: '', returncode: 'SUCCESS', fault: null },
    {
      call: 'create',
      query: 'meetingID=demo&name=Demo&attendeePW=ap&moderatorPW=mp',
      parameters: demoMeeting(),
      status: 200,
      returncode: 'SUCCESS',
      messageKey: null,
    },
    { call: 'getMeetings', query: 'a=1', returncode: 'FAILED', messageKey: 'checksumError' },
    { call: 'getSessions', status: null, returncode: null, fault: 'html-page' },
  ]);
  const log = JSON.stringify(sandbox.control.calls());
  expect(log).not.toContain('checksum=');
  expect(log).not.toContain(sandbox.secret);
  sandbox.control.clearCalls();
  expect(sandbox.control.calls()).toEqual([]);
});

test('The log keeps the newest thousand calls', async () => {
  const { sandbox } = await startTestSandbox();
  for (let round = 0; round < 11; round++) {
    await Promise.all(Array.from({ length: 100 }, () => fetch(sandbox.apiUrl)));
  }
  expect(sandbox.control.calls()).toHaveLength(1_000);
});

test('Reset clears everything and resets the clock', async () => {
  const { sandbox, api } = await startTestSandbox();
  const { now } = sandbox.control.state();
  await api.call('create', demoMeeting({ meta_endCallbackUrl: 'http://127.0.0.1:1/' }));
  sandbox.control.injectFault({ kind: 'hang' });
  sandbox.control.advanceClock(3_600_000);
  sandbox.control.reset();
  expect(sandbox.control.state()).toEqual({
    now,
    meetings: [],
    recordings: [],
    hooks: [],
    callbacks: [],
    faults: [],
  });
  expect(readAnswer(await (await fetch(api.url('getMeetings'))).text()).messageKey).toBe('noMeetings');
});
