import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { demoMeeting, startTestSandbox } from './running-sandbox.ts';

test('The end callback has the recording marks and the meeting id as parameters', async () => {
  const listener = await startListener(200);
  const { sandbox, api } = await startTestSandbox();
  await api.call(
    'create',
    demoMeeting({
      record: 'true',
      meetingID: 'room é',
      meta_endCallbackUrl: `${listener.url}/ended?token=1#x`,
      meetingEndedURL: `${listener.url}/plain?a=1`,
    }),
  );
  sandbox.control.joinUser({ meetingID: 'room é', fullName: 'Anna' });
  sandbox.control.setRecording('room é', true);
  await api.call('end', { meetingID: 'room é' });
  await sandbox.control.waitForCallbacks();
  expect(listener.received.sort()).toEqual([
    'GET /ended?token=1&recordingmarks=true&meetingID=room+%C3%A9',
    'GET /plain?a=1',
  ]);
  expect(sandbox.control.state().callbacks.map(({ state }) => state)).toEqual(['delivered', 'delivered']);
});

test('An expired meeting also sends the end callback, without recording marks', async () => {
  const listener = await startListener(204);
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ meta_endCallbackUrl: `${listener.url}/` }));
  sandbox.control.advanceClock(minutes(6));
  await sandbox.control.waitForCallbacks();
  expect(listener.received).toEqual(['GET /?recordingmarks=false&meetingID=demo']);
});

test('A failed callback is retried after 30 seconds, 1, 2 and 5 minutes, and then dropped', async () => {
  const listener = await startListener(503);
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ meta_endCallbackUrl: `${listener.url}/` }));
  await api.call('end', { meetingID: 'demo' });
  await sandbox.control.waitForCallbacks();
  const delays = [seconds(30), minutes(1), minutes(2), minutes(5)];
  for (const [index, delay] of delays.entries()) {
    sandbox.control.advanceClock(delay - 1);
    await sandbox.control.waitForCallbacks();
    expect(listener.received).toHaveLength(index + 1);
    sandbox.control.advanceClock(1);
    await sandbox.control.waitForCallbacks();
    expect(listener.received).toHaveLength(index + 2);
  }
  sandbox.control.advanceClock(minutes(600));
  await sandbox.control.waitForCallbacks();
  expect(listener.received).toHaveLength(5);
  expect(sandbox.control.state().callbacks[0]).toMatchObject({ state: 'dropped' });
});

test('A callback that was delivered by a retry is not sent again', async () => {
  const listener = await startListener(500, 200);
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting({ meta_endCallbackUrl: `${listener.url}/` }));
  await api.call('end', { meetingID: 'demo' });
  await sandbox.control.waitForCallbacks();
  sandbox.control.advanceClock(seconds(30));
  await sandbox.control.waitForCallbacks();
  sandbox.control.advanceClock(minutes(600));
  await sandbox.control.waitForCallbacks();
  expect(listener.received).toHaveLength(2);
  expect(sandbox.control.state().callbacks[0]).toMatchObject({ state: 'delivered' });
});

test.each(['http://127.0.0.1:1/', 'not a url', 'ftp://example.com/'])(
  'A callback address that cannot be called causes no failure: %s',
  async (url) => {
    const { sandbox, api } = await startTestSandbox();
    await api.call('create', demoMeeting({ meta_endCallbackUrl: url }));
    await api.call('end', { meetingID: 'demo' });
    await sandbox.control.waitForCallbacks();
    expect(sandbox.control.state().callbacks[0]).toMatchObject({
      state: 'pending',
      attempts: [{ status: null }],
    });
  },
);

test('When many meetings end at once, all callbacks are sent, at most 50 at a time', async () => {
  let open = 0;
  let most = 0;
  const answered = new Set<string>();
  const server = createServer((request, response) => {
    most = Math.max(most, ++open);
    setImmediate(() => {
      open--;
      answered.add(request.url ?? '');
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { sandbox, api } = await startTestSandbox();
  const ids = Array.from({ length: 130 }, (_, index) => `room-${index}`);
  await Promise.all(ids.map((meetingID) => api.call('create', demoMeeting({ meetingID, meta_endCallbackUrl: url }))));
  sandbox.control.advanceClock(minutes(6));
  await sandbox.control.waitForCallbacks();
  expect(answered.size).toBe(130);
  expect(most).toBeLessThanOrEqual(50);
});

test('Breakout rooms send no callbacks', async () => {
  const { sandbox, api } = await startTestSandbox();
  await api.call('create', demoMeeting());
  await api.call('create', {
    meetingID: 'room',
    name: 'Room',
    isBreakout: 'true',
    parentMeetingID: 'demo',
    meta_endCallbackUrl: 'http://127.0.0.1:1/',
  });
  await api.call('end', { meetingID: 'room' });
  expect(sandbox.control.state().callbacks).toEqual([]);
});

/** Responds with these statuses in turn, and then always with the last one. */
async function startListener(...statuses: number[]): Promise<{ url: string; received: string[] }> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    response.writeHead(statuses[Math.min(received.length, statuses.length) - 1] ?? 200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

function minutes(count: number): number {
  return count * 60_000;
}

function seconds(count: number): number {
  return count * 1_000;
}
