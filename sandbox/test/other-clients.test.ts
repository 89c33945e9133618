import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { runningSandbox } from './running-sandbox.ts';

// Neither client brings types.
const require = createRequire(import.meta.url);
const bigbluebuttonJs = require('bigbluebutton-js') as BigbluebuttonJs;
const bbbPromise = require('bbb-promise') as BbbPromise;

test('bigbluebutton-js creates, joins, asks, lists and ends', async () => {
  const { sandbox } = await runningSandbox();
  const { administration, monitoring, recording } = bigbluebuttonJs.api(`${sandbox.url}/bigbluebutton`, sandbox.secret);
  const ask = (url: string) => bigbluebuttonJs.http(url);
  const passwords = { attendeePW: 'ap', moderatorPW: 'mp' };
  expect(await ask(administration.create('My demo', 'demo', passwords))).toMatchObject({
    returncode: 'SUCCESS',
    meetingID: 'demo',
    moderatorPW: 'mp',
  });
  const joined = await fetch(administration.join('Anna Ä', 'demo', 'mp', {}), {
    redirect: 'follow',
  });
  expect(joined.url).toContain('/html5client/join?sessionToken=');
  expect(await joined.text()).toContain('My demo');
  expect(await ask(monitoring.isMeetingRunning('demo'))).toEqual({
    returncode: 'SUCCESS',
    running: false,
  });
  sandbox.control.joinUser({ meetingID: 'demo', fullName: 'Ben' });
  expect(await ask(monitoring.getMeetingInfo('demo'))).toMatchObject({
    meetingName: 'My demo',
    participantCount: 1,
  });
  expect(await ask(monitoring.getMeetings())).toMatchObject({ meetings: [{ meetingID: 'demo' }] });
  expect(await ask(recording.getRecordings({}))).toMatchObject({ messageKey: 'noRecordings' });
  expect(await ask(administration.end('demo', 'mp'))).toMatchObject({
    messageKey: 'sentEndMeetingRequest',
  });
});

test('bbb-promise creates, joins, asks, lists and ends', async () => {
  const { sandbox } = await runningSandbox();
  const { administration, monitoring, recording } = bbbPromise.server(`${sandbox.url}/bigbluebutton`, sandbox.secret);
  const passwords = { attendeePW: 'ap', moderatorPW: 'mp' };
  expect(await administration.create('My demo', 'demo', passwords)).toMatchObject({
    response: { returncode: ['SUCCESS'], meetingID: ['demo'], attendeePW: ['ap'] },
  });
  const joined = await fetch(administration.join('Anna', 'demo', 'ap', {}), { redirect: 'follow' });
  expect(joined.url).toContain('/html5client/join?sessionToken=');
  expect(await monitoring.isMeetingRunning('demo')).toMatchObject({
    response: { running: ['false'] },
  });
  expect(await monitoring.getMeetingInfo('demo')).toMatchObject({
    response: { meetingName: ['My demo'], attendees: [''] },
  });
  expect(await monitoring.getMeetings()).toMatchObject({
    response: { meetings: [{ meeting: [{ meetingID: ['demo'] }] }] },
  });
  expect(await recording.getRecordings({ meetingID: 'demo' })).toMatchObject({
    response: { messageKey: ['noRecordings'] },
  });
  expect(await administration.end('demo', 'mp')).toMatchObject({
    response: { messageKey: ['sentEndMeetingRequest'] },
  });
});

interface BigbluebuttonJs {
  api(host: string, secret: string): Client<string>;
  http(url: string): Promise<unknown>;
}

interface BbbPromise {
  server(host: string, secret: string): Client<Promise<unknown>>;
}

/** One of them answers with the address to call, the other with what came back. */
interface Client<Answer> {
  administration: {
    create(name: string, id: string, parameters: object): Answer;
    join(fullName: string, meetingId: string, password: string, parameters: object): string;
    end(meetingId: string, password: string): Answer;
  };
  monitoring: {
    getMeetingInfo(meetingId: string): Answer;
    isMeetingRunning(meetingId: string): Answer;
    getMeetings(): Answer;
  };
  recording: { getRecordings(parameters: object): Answer };
}
