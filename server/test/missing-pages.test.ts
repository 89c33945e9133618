import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

test("a browser gets a 404 page in its language with the platform's branding", async () => {
  await api.admin.updateSettings({ body: { platform_name: 'Harbour' } });
  for (const [language, words] of [
    ['en', 'This page does not exist'],
    ['de', 'Diese Seite gibt es nicht'],
  ] as const) {
    const answer = await fetch(`${api.url}/nowhere?x=1`, { headers: { accept: browser, 'accept-language': language } });
    const html = await answer.text();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(html).toContain(words);
    expect(html).toContain('Harbour');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  }
});

test('every other request gets JSON, and so does a browser below /api', async () => {
  const requests: [string, RequestInit][] = [
    ['/nowhere', {}],
    ['/nowhere', { headers: { accept: 'application/json' } }],
    ['/nowhere', { headers: { accept: '*/*' } }],
    ['/nowhere', { method: 'POST', headers: { accept: browser }, body: 'x=1' }],
    ['/api/v1/nowhere', { headers: { accept: browser } }],
    ['/api', { headers: { accept: browser } }],
  ];
  for (const [path, init] of requests) {
    const answer = await fetch(api.url + path, init);
    expect([path, answer.status, await answer.json()]).toEqual([
      path,
      404,
      expect.objectContaining({ code: 'not-found', message: 'There is nothing at this path.' }),
    ]);
  }
});
