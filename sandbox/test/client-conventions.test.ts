import { describe, expect, test } from 'vitest';
import type { Sandbox, SandboxOptions } from '../src/index.ts';
import { recordMeeting } from './recorded-meeting.ts';
import { demoMeeting, startTestSandbox } from './running-sandbox.ts';
import { type RawAnswer, sendRaw } from './raw-http.ts';
import { checksum, elementOrder, readAnswer } from './signed-call.ts';

// The exact requests of common clients, over plain HTTP.

const kinds: [string, SandboxOptions][] = [
  ['a BigBlueButton server', {}],
  ['a Scalelite', { scalelite: {} }],
];

describe.each(kinds)('%s', (_kind, options) => {
  test('serves the PHP library: SHA-256, a doubled slash, presentations in XML, then a join with a password', async () => {
    const { sandbox } = await startTestSandbox(options);
    const create = 'name=Anna%27s+room+%2A&meetingID=demo&attendeePW=ap&moderatorPW=mp&meta_origin=php&record=false';
    const modules =
      '<?xml version="1.0" encoding="UTF-8"?><modules><module name="presentation"><document url="http://h.example/a.pdf"/></module></modules>';
    const created = readAnswer((await request({ sandbox, algorithm: 'sha256' }, '//create', create, modules)).body);
    expect(created.elements).toMatchObject({ returncode: 'SUCCESS', attendeePW: 'ap', hasUserJoined: 'false' });
    expect(elementOrder(created.xml)).toEqual(createdElements);
    expect(created.elements['createDate']).toMatch(/^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d UTC \d{4}$/);
    expect(sandbox.control.state().meetings[0]).toMatchObject({
      name: "Anna's room *",
      documents: [{ name: 'a.pdf' }],
    });
    const join = 'meetingID=demo&fullName=Ben+%26+Co&password=mp&redirect=true&userdata-bbb_skip_check_audio=true';
    expect(await followJoin(sandbox, join, 'sha256')).toContain('/html5client/join?sessionToken=');
    expect(sandbox.control.state().meetings[0]?.users).toMatchObject([{ fullName: 'Ben & Co', role: 'MODERATOR' }]);
  });

  test('serves Greenlight: create again, a join by role with the time of creation and no password', async () => {
    const { sandbox } = await startTestSandbox(options);
    const create =
      'attendeePW=ap&meetingID=gl-1&meta_bbb-origin=greenlight&meta_endCallbackUrl=http%3A%2F%2F127.0.0.1%3A1%2F&moderatorPW=mp&name=Home';
    const first = readAnswer((await request({ sandbox, algorithm: 'sha1' }, '/create', create)).body);
    const second = readAnswer((await request({ sandbox, algorithm: 'sha1' }, '/create', create)).body);
    expect(second).toMatchObject({ returncode: 'SUCCESS', messageKey: 'duplicateWarning' });
    for (const name of ['internalMeetingID', 'createTime', 'voiceBridge']) {
      expect(second.elements[name]).toBe(first.elements[name]);
    }
    const other = readAnswer(
      (await request({ sandbox, algorithm: 'sha1' }, '/create', create.replace('=ap', '=xx'))).body,
    );
    expect(other).toMatchObject({ returncode: 'FAILED', messageKey: 'idNotUnique' });
    const join = `createTime=${String(first.elements['createTime'])}&fullName=Anna&meetingID=gl-1&password=&role=Moderator&userID=gl-7`;
    expect(await followJoin(sandbox, join, 'sha1')).toContain('/html5client/join?sessionToken=');
    const outdated = await followJoin(sandbox, join.replace(/createTime=\d+/, 'createTime=1'), 'sha1');
    expect(outdated).toContain('mismatchCreateTimeParam');
    sandbox.control.joinUser({ meetingID: 'gl-1', fullName: 'Anna', role: 'MODERATOR' });
    const running = readAnswer(
      (await request({ sandbox, algorithm: 'sha1' }, '/isMeetingRunning', 'meetingID=gl-1')).body,
    );
    expect(running.elements['running']).toBe('true');
  });

  test('serves Moodle: SHA-1, an empty query that begins with &, lists of recordings, a changed name', async () => {
    const { sandbox, api } = await startTestSandbox(options);
    const meetings = `/bigbluebutton/api/getMeetings?&checksum=${checksum('getMeetings', '', sandbox.secret, 'sha1')}`;
    expect(readAnswer((await sendRaw(sandbox.url, meetings)).body).messageKey).toBe('noMeetings');
    const recordID = await recordMeeting(sandbox, api, { 'meta_bbb-recording-name': 'Lecture' });
    const other = await recordMeeting(sandbox, api, { meetingID: 'other' });
    sandbox.control.finishRecordings();
    const rename = `recordID=${recordID}&meta_bbb-recording-name=Lecture+%231`;
    expect(
      readAnswer((await request({ sandbox, algorithm: 'sha1' }, '/updateRecordings', rename)).body).elements['updated'],
    ).toBe('true');
    const list = readAnswer(
      (await request({ sandbox, algorithm: 'sha1' }, '/getRecordings', 'meetingID=demo%2Cother')).body,
    );
    const { recording } = list.elements['recordings'] as { recording: ListedRecording[] };
    expect(recording.map((item) => item.recordID).toSorted()).toEqual([recordID, other].toSorted());
    expect(recording.find((item) => item.recordID === recordID)).toMatchObject({
      meetingID: 'demo',
      published: 'true',
      participants: '1',
      metadata: { 'bbb-recording-name': 'Lecture #1' },
      playback: { format: [{ type: 'presentation', length: expect.stringMatching(/^\d+$/) as string }] },
    });
    const hide = `recordID=${recordID}&publish=false`;
    expect(
      readAnswer((await request({ sandbox, algorithm: 'sha1' }, '/publishRecordings', hide)).body).elements[
        'published'
      ],
    ).toBe('false');
    const remove = `recordID=${recordID}%2C${other}`;
    expect(
      readAnswer((await request({ sandbox, algorithm: 'sha1' }, '/deleteRecordings', remove)).body).elements['deleted'],
    ).toBe('true');
    expect(readAnswer((await request({ sandbox, algorithm: 'sha1' }, '/getRecordings', '')).body).messageKey).toBe(
      'noRecordings',
    );
  });

  test('reports errors with HTTP 200 and a key, which clients read', async () => {
    const { sandbox, api } = await startTestSandbox(options);
    await api.call('create', demoMeeting());
    for (const [path, query, key] of [
      ['/getMeetingInfo', 'meetingID=unknown', 'notFound'],
      ['/end', 'meetingID=unknown', 'notFound'],
      ['/getMeetingInfo', '', 'missingParamMeetingID'],
      ['/deleteRecordings', 'recordID=unknown', 'notFound'],
      ['/deleteRecordings', '', 'missingParamRecordID'],
      ['/publishRecordings', 'recordID=unknown', 'missingParamPublish'],
      ['/getDefaultConfigXML', '', 'unsupportedRequest'],
    ] as const) {
      const answer = await request({ sandbox, algorithm: 'sha256' }, path, query);
      expect([answer.status, readAnswer(answer.body).messageKey], path).toEqual([200, key]);
      expect(elementOrder(answer.body)).toEqual(['returncode', 'messageKey', 'message']);
      expect(answer.headers['content-type']).toMatch(/^(?:text|application)\/xml/);
    }
    const forged = await sendRaw(sandbox.url, `/bigbluebutton/api/getMeetings?checksum=${'0'.repeat(64)}`);
    expect([forged.status, readAnswer(forged.body).messageKey]).toEqual([200, 'checksumError']);
  });
});

const createdElements = [
  'returncode',
  'meetingID',
  'internalMeetingID',
  'parentMeetingID',
  'attendeePW',
  'moderatorPW',
  'createTime',
  'voiceBridge',
  'dialNumber',
  'createDate',
  'hasUserJoined',
  'duration',
  'hasBeenForciblyEnded',
  'messageKey',
  'message',
];

interface ListedRecording {
  recordID: string;
}

interface Client {
  sandbox: Sandbox;
  algorithm: string;
}

/** `path` is relative to the base URL. With an XML body, the request is a POST. */
function request({ sandbox, algorithm }: Client, path: string, query: string, xml?: string): Promise<RawAnswer> {
  const call = path.replace(/^\/+/, '');
  const signed = `${query === '' ? '' : `${query}&`}checksum=${checksum(call, query, sandbox.secret, algorithm)}`;
  const post = xml === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/xml' }, body: xml };
  return sendRaw(sandbox.url, `/bigbluebutton/api${path}?${signed}`, post);
}

/** Follows the redirects of a join. @returns the last address */
async function followJoin(sandbox: Sandbox, join: string, algorithm: string): Promise<string> {
  let location = '';
  let answer = await request({ sandbox, algorithm }, '/join', join);
  while (answer.status === 302 && !location.includes('/html5client/') && !location.includes('errors=')) {
    location = String(answer.headers['location']);
    answer = await sendRaw(sandbox.url, location.slice(sandbox.url.length));
  }
  return location;
}
