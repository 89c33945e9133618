import { expect, test } from 'vitest';
import { createTestProvider, failureOf } from './fixtures.ts';
import { callNameOf, startRawServer, successXml, respondXml } from './raw-server.ts';

const attendeeXml = (meeting: number, index: number) =>
  `<attendee><userID>u-${meeting}-${index}</userID><fullName>Anna ${index} &amp; Co</fullName><role>VIEWER</role><isPresenter>false</isPresenter><isListeningOnly>false</isListeningOnly><hasJoinedVoice>true</hasJoinedVoice><hasVideo>false</hasVideo><clientType>HTML5</clientType></attendee>`;

function meetingXml(index: number, attendees: number): string {
  const attendeesXml = Array.from({ length: attendees }, (_, number) => attendeeXml(index, number)).join('');
  return `<meeting><meetingName>Demo</meetingName><meetingID>m-${index}</meetingID><internalMeetingID>i-${index}</internalMeetingID><createTime>1763600000000</createTime><running>true</running><participantCount>${attendees}</participantCount><attendees>${attendeesXml}</attendees><metadata/><isBreakout>false</isBreakout></meeting>`;
}

test('2,000 meetings with 50 participants each are read from one answer', async () => {
  const list = Array.from({ length: 2000 }, (_, index) => meetingXml(index, 50)).join('');
  const { url, requests } = await startRawServer(respondXml(successXml(`<meetings>${list}</meetings>`)));
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
    respondXml(successXml(`<meetings>${'<meeting><meetingID>x</meetingID></meeting>'.repeat(30_000)}</meetings>`)),
  );
  expect(await createTestProvider('bigbluebutton', url, { timeoutMs: 60_000 }).states()).toEqual([]);
});

test('lists of meetings over 32 MiB and other answers over 2 MiB are rejected', async () => {
  const { url } = await startRawServer((response, request) => {
    const size = (callNameOf(request) === 'getMeetings' ? 33 : 6) * 1024 * 1024;
    respondXml(successXml(`<running>true</running><a>${'x'.repeat(size)}</a>`))(response, request);
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
