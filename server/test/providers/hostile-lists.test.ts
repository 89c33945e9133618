import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createTestProvider, failureOf } from './fixtures.ts';
import { failedXml, startRawServer, successXml, respondXml } from './raw-server.ts';

function meetingXml(id: string, extraXml = '', createTime = '1763600000000'): string {
  return `<meeting><meetingID>${id}</meetingID><internalMeetingID>i-${id}</internalMeetingID>
    <createTime>${createTime}</createTime><running>true</running>${extraXml}</meeting>`;
}

async function readStates(...meetings: string[]) {
  const { url } = await startRawServer(respondXml(successXml(`<meetings>${meetings.join('')}</meetings>`)));
  return await createTestProvider('bigbluebutton', url).states();
}

test('of a meeting that is listed several times, only the newest running entry is read', async () => {
  const ended = meetingXml('demo', '<hasBeenForciblyEnded>true</hasBeenForciblyEnded>', '1763600009000');
  const older = meetingXml('demo', '<participantCount>9</participantCount>', '1763600000000');
  const newer = meetingXml('demo', '<participantCount>3</participantCount>', '1763600001000');
  for (const entries of [
    [ended, older, newer],
    [newer, older, ended],
    [older, ended, newer],
  ])
    expect(await readStates(...entries)).toMatchObject([{ meetingId: 'demo', exists: true, participantCount: 3 }]);
});

test('an unreadable entry of a list does not hide the other entries', async () => {
  const states = await readStates(
    '<meeting><meetingID>bad</meetingID></meeting>',
    meetingXml('from-the-future', '', '99999999999999'),
    meetingXml('no-time', '', 'NaN'),
    meetingXml('x'.repeat(300)),
    meetingXml('<meetingID>nested</meetingID>'),
    meetingXml('good'),
  );
  expect(states.map(({ meetingId }) => meetingId)).toEqual(['good']);
});

test('characters that PostgreSQL cannot store are removed', async () => {
  const [state] = await readStates(
    meetingXml(
      'de\0mo',
      `<attendees><attendee><userID>a\0b&#xD800;</userID><fullName>c&#0;d</fullName></attendee></attendees>
      <metadata><key>\0</key><__proto__>x</__proto__></metadata>`,
    ),
  );
  expect(state).toMatchObject({ meetingId: 'demo', internalId: 'i-demo' });
  expect(JSON.stringify(state)).not.toMatch(/\\u0000|\\ud800/);
  const failingServer = await startRawServer(respondXml(failedXml('ke\0y', 'mes\0sage')));
  expect(await failureOf(createTestProvider('bigbluebutton', failingServer.url).states())).toMatchObject({
    messageKey: 'key',
    message: 'message',
  });
});

test('implausibly many participants are truncated', async () => {
  const crowd = Array.from({ length: 6000 }, (_, id) => `<attendee><userID>${id}</userID></attendee>`).join('');
  const [state] = await readStates(meetingXml('demo', `<attendees>${crowd}</attendees>`));
  expect(state?.attendees).toHaveLength(5000);
});

test('an invalid date is not reported, and a long version is truncated', async () => {
  const { url } = await startRawServer((response) => {
    response.writeHead(200, { 'content-type': 'text/xml', date: 'Fri, 01 Jan 99999 00:00:00 GMT' });
    response.end(successXml(`<running>true</running><version>${'2'.repeat(5000)}</version>`));
  });
  expect(await createTestProvider('bigbluebutton', url).check()).toMatchObject({
    dateMs: null,
    apiVersion: '2'.repeat(50),
  });
});

test('a server that accepts the connection and never answers delays the caller by no more than the time-out', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => void sockets.add(socket.on('error', () => {})));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const provider = createTestProvider('bigbluebutton', `https://127.0.0.1:${port}`, { timeoutMs: 300 });
  const timeout = new Promise((resolve) => setTimeout(resolve, 4000, 'too late'));
  const failures = Promise.all(Array.from({ length: 20 }, () => failureOf(provider.isRunning('demo'))));
  const outcome = await Promise.race([failures, timeout]);
  expect(outcome).toHaveLength(20);
  expect(outcome).toContainEqual(expect.objectContaining({ kind: 'timeout' }));
});
