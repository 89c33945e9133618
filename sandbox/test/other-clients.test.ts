import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startCallbackReceiver } from './callback-receiver.ts';
import { startTestSandbox } from './running-sandbox.ts';

// Neither client has types.
const require = createRequire(import.meta.url);
const bigbluebuttonJs = require('bigbluebutton-js') as BigbluebuttonJs;
const bbbPromise = require('bbb-promise') as BbbPromise;

test('bigbluebutton-js can create, join, query, list and end meetings', async () => {
  const { sandbox } = await startTestSandbox();
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

test('bbb-promise can create, join, query, list and end meetings', async () => {
  const { sandbox } = await startTestSandbox();
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

test('bigbluebutton-js can publish, update and delete recordings', async () => {
  const { sandbox } = await startTestSandbox();
  const { recording } = bigbluebuttonJs.api(`${sandbox.url}/bigbluebutton/`, sandbox.secret);
  const ask = (url: string) => bigbluebuttonJs.http(url);
  const recordID = sandbox.control.plantRecording({ meetingID: 'demo', name: 'A room' });
  expect(await ask(recording.getRecordings({ meetingID: 'demo' }))).toMatchObject({
    recordings: [{ recordID, name: 'A room', published: true, playback: { format: { type: 'presentation' } } }],
  });
  expect(await ask(recording.publishRecordings(recordID, false))).toMatchObject({ published: false });
  expect(await ask(recording.updateRecordings(recordID, { meta_name: 'New' }))).toMatchObject({ updated: true });
  expect(await ask(recording.getRecordings({ recordID }))).toMatchObject({
    recordings: [{ state: 'unpublished', metadata: { name: 'New' } }],
  });
  expect(await ask(recording.deleteRecordings(recordID))).toMatchObject({ deleted: true });
  expect(await ask(recording.getRecordings({ recordID }))).toMatchObject({ messageKey: 'noRecordings' });
});

test('bigbluebutton-js can create, list and destroy hooks, and the hooks are called', async () => {
  const { sandbox } = await startTestSandbox();
  const receiver = await startCallbackReceiver();
  const { administration, hooks } = bigbluebuttonJs.api(`${sandbox.url}/bigbluebutton`, sandbox.secret);
  const ask = (url: string) => bigbluebuttonJs.http(url);
  const created = (await ask(hooks.create(receiver.url, { eventID: 'meeting-created' }))) as { hookID: string };
  expect(await ask(hooks.list({}))).toMatchObject({
    hooks: { hook: { hookID: created.hookID, callbackURL: receiver.url, permanentHook: false } },
  });
  await ask(administration.create('My demo', 'demo', {}));
  await sandbox.control.waitForCallbacks();
  expect(receiver.received).toHaveLength(1);
  expect(await ask(hooks.destroy(created.hookID, {}))).toMatchObject({ removed: true });
});

test('bbb-promise can publish, update and delete recordings', async () => {
  const { sandbox } = await startTestSandbox();
  const { recording } = bbbPromise.server(`${sandbox.url}/bigbluebutton`, sandbox.secret);
  const recordID = sandbox.control.plantRecording({ meetingID: 'demo' });
  expect(await recording.publishRecordings(recordID, false)).toMatchObject({ response: { published: ['false'] } });
  expect(await recording.updateRecordings(recordID, { meta_name: 'New' })).toMatchObject({
    response: { updated: ['true'] },
  });
  expect(await recording.getRecordings({ meetingID: 'demo' })).toMatchObject({
    response: { recordings: [{ recording: [{ state: ['unpublished'], metadata: [{ name: ['New'] }] }] }] },
  });
  expect(await recording.deleteRecordings(recordID)).toMatchObject({ response: { deleted: ['true'] } });
});

test('The integration tests of bigbluebutton-js pass unchanged', async () => {
  const { sandbox } = await startTestSandbox();
  const suite = require.resolve('bigbluebutton-js/test/index.js');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [require.resolve('mocha/bin/mocha.js'), '--exit', '--reporter', 'json', suite],
    { env: { ...process.env, BBB_URL: `${sandbox.url}/bigbluebutton`, BBB_SECRET: sandbox.secret } },
  );
  expect(stdout).toMatch(/"passes": 2,\s+"pending": 0,\s+"failures": 0/);
}, 30_000);

interface BigbluebuttonJs {
  api(
    host: string,
    secret: string,
  ): Client<string> & {
    hooks: {
      create(callbackUrl: string, parameters: object): string;
      list(parameters: object): string;
      destroy(hookId: string, parameters: object): string;
    };
  };
  http(url: string): Promise<unknown>;
}

interface BbbPromise {
  server(host: string, secret: string): Client<Promise<unknown>>;
}

/** bigbluebutton-js returns the address to call, bbb-promise the result of the call. */
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
  recording: {
    getRecordings(parameters: object): Answer;
    publishRecordings(recordId: string, publish: boolean): Answer;
    updateRecordings(recordId: string, parameters: object): Answer;
    deleteRecordings(recordId: string): Answer;
  };
}
