import { expect, test } from 'vitest';
import { createTestProvider, failureOf } from './fixtures.ts';
import { startRawServer, success, xml } from './raw-server.ts';

const meeting = (figures: Record<string, string>) =>
  Object.entries({
    meetingID: 'demo',
    internalMeetingID: 'internal',
    createTime: '1763600000000',
    running: 'true',
    startTime: '1763600000000',
    endTime: '0',
    participantCount: '3',
    moderatorCount: '1',
    ...figures,
  })
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('');

async function stateOf(figures: Record<string, string>) {
  const server = await startRawServer(xml(success(meeting(figures))));
  return await createTestProvider('bigbluebutton', server.url).state('demo');
}

test.each(['99999999999999', '100001', '-1', '1e9', '3.5', 'NaN', ''])(
  'a participant count of %s is ignored',
  async (count) => {
    expect(await stateOf({ participantCount: count, moderatorCount: count })).toMatchObject({
      exists: true,
      participantCount: 0,
      moderatorCount: 0,
    });
  },
);

test.each(['999999999999999', '0', '-1', '4102444800000'])('a start at %s is ignored', async (startTime) => {
  expect(await stateOf({ startTime })).toMatchObject({ startedAtMs: null, participantCount: 3 });
});

test('a meeting with a start beyond this century is an invalid answer', async () => {
  expect(await failureOf(stateOf({ createTime: '999999999999999' }))).toMatchObject({ kind: 'malformed' });
});
