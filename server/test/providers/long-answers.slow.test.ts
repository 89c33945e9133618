import { expect, test } from 'vitest';
import { createTestProvider, failureOf } from './fixtures.ts';
import { callOf, startRawServer, success, xml } from './raw-server.ts';

const attendee = (meeting: number, index: number) =>
  `<attendee><userID>u-${meeting}-${index}</userID><fullName>Anna ${index} &amp; Co</fullName><role>VIEWER</role><isPresenter>false</isPresenter><isListeningOnly>false</isListeningOnly><hasJoinedVoice>true</hasJoinedVoice><hasVideo>false</hasVideo><clientType>HTML5</clientType></attendee>`;

function meeting(index: number, attendees: number): string {
  const all = Array.from({ length: attendees }, (_, number) => attendee(index, number)).join('');
  return `<meeting><meetingName>Demo</meetingName><meetingID>m-${index}</meetingID><internalMeetingID>i-${index}</internalMeetingID><createTime>1763600000000</createTime><running>true</running><participantCount>${attendees}</participantCount><attendees>${all}</attendees><metadata/><isBreakout>false</isBreakout></meeting>`;
}

test('2,000 meetings with 50 people in each are listed in one answer', async () => {
  const list = Array.from({ length: 2000 }, (_, index) => meeting(index, 50)).join('');
  const { url, requests } = await startRawServer(xml(success(`<meetings>${list}</meetings>`)));
  const states = await createTestProvider('bigbluebutton', url, { timeoutMs: 60_000 }).states();
  expect(states).toHaveLength(2000);
  expect(states.reduce((sum, { attendees }) => sum + attendees.length, 0)).toBe(100_000);
  expect(states.at(-1)).toMatchObject({
    meetingId: 'm-1999',
    participantCount: 50,
    attendees: expect.arrayContaining([{ userId: 'u-1999-49', fullName: 'Anna 49 & Co', isModerator: false }]),
  });
  expect(requests).toHaveLength(1);
});

test('a list without readable entries is empty, also if it is long', async () => {
  const { url } = await startRawServer(
    xml(success(`<meetings>${'<meeting><meetingID>x</meetingID></meeting>'.repeat(30_000)}</meetings>`)),
  );
  expect(await createTestProvider('bigbluebutton', url, { timeoutMs: 60_000 }).states()).toEqual([]);
});

test('a list of meetings over 32 MiB, and an answer about one meeting over 2 MiB, is rejected', async () => {
  const { url } = await startRawServer((response, request) => {
    const size = (callOf(request) === 'getMeetings' ? 33 : 6) * 1024 * 1024;
    xml(success(`<running>true</running><a>${'x'.repeat(size)}</a>`))(response, request);
  });
  const provider = createTestProvider('bigbluebutton', url, { timeoutMs: 60_000 });
  expect(await failureOf(provider.states())).toMatchObject({
    kind: 'oversize',
    message: expect.stringMatching(/32 MiB/),
  });
  expect(await failureOf(provider.isRunning('x'))).toMatchObject({
    kind: 'oversize',
    message: expect.stringMatching(/2 MiB/),
  });
});
