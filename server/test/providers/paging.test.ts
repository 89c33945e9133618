import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createTestProvider } from './fixtures.ts';
import { startRawServer, successXml, respondXml } from './raw-server.ts';

const recordingsXml = (numbers: readonly number[]) =>
  successXml(
    `<recordings>${numbers.map((number) => `<recording><recordID>rec-${number}</recordID><meetingID>m</meetingID></recording>`).join('')}</recordings>`,
  );
const range = (count: number) => Array.from({ length: count }, (_, number) => number);
const queryOf = (request: IncomingMessage) => new URL(request.url ?? '', 'http://localhost').searchParams;

test.each([0, 1, 99, 100, 101, 200, 250])('all %i recordings of a server with pages are returned', async (count) => {
  const { url } = await startRawServer((response, request) => {
    const query = queryOf(request);
    const offset = Number(query.get('offset'));
    respondXml(recordingsXml(range(count).slice(offset, offset + Number(query.get('limit')))))(response, request);
  });
  expect(await createTestProvider('bigbluebutton', url).recordings({})).toHaveLength(count);
});

test.each([0, 1, 100, 250])('%i recordings of an old server without pages are returned, each once', async (count) => {
  const { url, requests } = await startRawServer(respondXml(recordingsXml(range(count))));
  expect(await createTestProvider('bigbluebutton', url).recordings({})).toHaveLength(count);
  expect(requests.length).toBeLessThanOrEqual(2);
});

test('broken recordings do not end the list early', async () => {
  const broken = '<recording><error><recordID>x</recordID></error></recording>';
  const { url } = await startRawServer((response, request) => {
    const isFirst = queryOf(request).get('offset') === '0';
    const body = isFirst
      ? recordingsXml(range(99)).replace('<recordings>', `<recordings>${broken}`)
      : recordingsXml([500]);
    respondXml(body)(response, request);
  });
  expect(await createTestProvider('bigbluebutton', url).recordings({})).toHaveLength(100);
});

test('pages are not requested from a load balancer', async () => {
  const { url, requests } = await startRawServer(respondXml(recordingsXml(range(100))));
  expect(await createTestProvider('scalelite', url).recordings({})).toHaveLength(100);
  expect(requests).toHaveLength(1);
  expect(requests[0]).not.toMatch(/offset|limit/);
});

test('many ids are requested in several requests, each short enough for a web server', async () => {
  const ids = range(1000).map((number) => `${'a'.repeat(40)}-${1_700_000_000_000 + number}`);
  const { url, requests } = await startRawServer((response, request) => {
    const ids = queryOf(request).get('recordID')?.split(',') ?? [];
    const body = ids.map((id) => `<recording><recordID>${id}</recordID><meetingID>m</meetingID></recording>`).join('');
    respondXml(successXml(`<recordings>${body}</recordings>`))(response, request);
  });
  const recordings = await createTestProvider('scalelite', url).recordings({ recordingIds: ids });
  expect(recordings.map(({ recordingId }) => recordingId)).toEqual(ids);
  expect(Math.max(...requests.map((path) => path.length))).toBeLessThan(8000);
});

test('recordings of other meetings in the answer are omitted', async () => {
  const { url } = await startRawServer(
    respondXml(
      successXml(
        '<recordings><recording><recordID>rec-1</recordID><meetingID>theirs</meetingID></recording></recordings>',
      ),
    ),
  );
  expect(await createTestProvider('scalelite', url).recordings({ meetingIds: ['ours'] })).toEqual([]);
});
