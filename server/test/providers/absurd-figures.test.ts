import { expect, test } from 'vitest';
import { createTestProvider, failureOf } from './fixtures.ts';
import { startRawServer, successXml, respondXml } from './raw-server.ts';

const meeting = (values: Record<string, string>) =>
  Object.entries({
    meetingID: 'demo',
    internalMeetingID: 'internal',
    createTime: '1763600000000',
    running: 'true',
    startTime: '1763600000000',
    endTime: '0',
    participantCount: '3',
    moderatorCount: '1',
    ...values,
  })
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('');

async function readState(values: Record<string, string>) {
  const server = await startRawServer(respondXml(successXml(meeting(values))));
  return await createTestProvider('bigbluebutton', server.url).state('demo');
}

test.each(['99999999999999', '100001', '-1', '1e9', '3.5', 'NaN', ''])(
  'a participant count of %s is ignored',
  async (count) => {
    expect(await readState({ participantCount: count, moderatorCount: count })).toMatchObject({
      exists: true,
      participantCount: 0,
      moderatorCount: 0,
    });
  },
);

test.each(['999999999999999', '0', '-1', '4102444800000'])('a start time of %s is ignored', async (startTime) => {
  expect(await readState({ startTime })).toMatchObject({ startedAtMs: null, participantCount: 3 });
});

test('an answer with a creation time beyond this century is malformed', async () => {
  expect(await failureOf(readState({ createTime: '999999999999999' }))).toMatchObject({ kind: 'malformed' });
});
