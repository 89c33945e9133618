import { endpoints } from '@foyer/contract';
import { type Endpoint, canRunInOneTransaction } from '@foyer/contract/conventions/endpoint.ts';
import { errorCodes } from '@foyer/contract/conventions/error-codes.ts';
import { features } from '@foyer/contract/resources/packages/features.ts';
import { comparableWrites } from '@foyer/contract/openapi/headers.ts';
import { openApiDocument } from '@foyer/contract/openapi/openapi.ts';
import { permissions } from '@foyer/contract/conventions/permissions.ts';
import axeCore from 'axe-core';
import fastify, { type FastifyInstance } from 'fastify';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compressAnswers } from '../src/platform/http/answer/compress-answers.ts';
import { findReadRoutes } from '../src/platform/http/input/write-target.ts';
import { mountReference } from '../src/reference/mount-reference.ts';

const names = Object.keys(endpoints);
let publicUrl = 'https://meet.example.com';
let server: FastifyInstance;
let url: string;
let browser: Browser;

beforeAll(async () => {
  server = fastify();
  compressAnswers(server);
  mountReference(server, () => openApiDocument({ version: '0.1.0', serverUrl: publicUrl }));
  url = await server.listen({ host: '127.0.0.1', port: 0 });
  browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync'],
  });
});

afterAll(async () => {
  await browser.close();
  await server.close();
});

test('the document is served with the public address', async () => {
  const { headers, body } = await server.inject('/openapi.json');
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(JSON.parse(body)).toEqual(
    JSON.parse(JSON.stringify(openApiDocument({ version: '0.1.0', serverUrl: publicUrl }))),
  );
});

test('a matching If-None-Match is a 304, and a changed public address changes every tag', async () => {
  const before = new Map<string, string>();
  for (const path of ['/openapi.json', '/docs', '/docs/rooms', '/docs/search.json', '/docs/reference.css']) {
    const { headers, statusCode } = await server.inject(path);
    expect(statusCode).toBe(200);
    const etag = String(headers['etag']);
    expect(etag).toMatch(/^"[\w-]+"$/);
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const second = await server.inject({ url: path, headers: { 'if-none-match': tag } });
      expect([second.statusCode, second.body]).toEqual([304, '']);
    }
    expect((await server.inject({ url: path, headers: { 'if-none-match': '"other"' } })).statusCode).toBe(200);
    before.set(path, etag);
  }
  publicUrl = 'https://other.example.com';
  for (const path of ['/openapi.json', '/docs', '/docs/rooms']) {
    const { headers, body } = await server.inject(path);
    expect(headers['etag']).not.toBe(before.get(path));
    expect(body).toContain('https://other.example.com/api/v1');
  }
  publicUrl = 'https://meet.example.com';
});

test('answers are compressed for clients that accept it', async () => {
  for (const [accepted, encoding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['identity', undefined],
  ] as const) {
    const { headers, rawPayload } = await server.inject({
      url: '/docs/rooms',
      headers: { 'accept-encoding': accepted },
    });
    expect([headers['content-encoding'], headers['vary']]).toEqual([encoding, 'Accept-Encoding']);
    expect(rawPayload.length < 30_000).toBe(encoding !== undefined);
  }
  const answer = await fetch(`${url}/docs/rooms`, { headers: { 'accept-encoding': 'br' } });
  expect(await answer.text()).toBe((await server.inject('/docs/rooms')).body);
});

test('every page stays below 200 KB and has no inline script or style', async () => {
  for (const [path, body] of await allPages()) {
    expect(Buffer.byteLength(body), path).toBeLessThan(200_000);
    expect(body).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]+src="\/docs\/)/i);
    expect(
      [...body.matchAll(/<(?:script|img|iframe|link|source)[^>]+(?:src|href)="([^"]+)"/g)].map(([, href]) => href),
    ).toEqual([
      expect.stringMatching(/^data:image\/svg\+xml,/),
      expect.stringMatching(/^\/docs\/reference\.css\?v=/),
      expect.stringMatching(/^\/docs\/reference\.js\?v=/),
    ]);
    const { headers } = await server.inject(path);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(
      /default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/,
    );
    expect(headers['content-security-policy']).not.toContain('unsafe');
  }
});

test('every operation is documented on exactly one page, and linked from the front page', async () => {
  const pages = await allPages();
  const documented = [...pages.values()].flatMap((body) =>
    [...body.matchAll(/<section class="operation" id="(\w+)"/g)].map(([, name]) => name),
  );
  expect(new Set(documented)).toEqual(new Set(names));
  expect(documented).toHaveLength(names.length);
  for (const name of names) expect(pages.get('/docs')).toContain(`<li id="${name}"><a href="/docs/`);
});

test('If-Match is documented exactly where the server compares it', () => {
  const declared: Endpoint[] = Object.values(endpoints);
  const handle = () => Promise.reject(new Error('never called'));
  const readsOf = findReadRoutes(declared.map((endpoint) => ({ endpoint, handle })));
  const compared = declared.filter((endpoint) => readsOf(endpoint).target !== null && canRunInOneTransaction(endpoint));
  expect(comparableWrites(declared)).toEqual(new Set(compared));
});

test('every error code, permission and feature is in its catalogue', async () => {
  const pages = await allPages();
  for (const code of Object.keys(errorCodes)) expect(pages.get('/docs/error-codes')).toContain(`<tr id="${code}">`);
  for (const { name } of permissions) expect(pages.get('/docs/permissions-and-scopes')).toContain(`<tr id="${name}">`);
  for (const { code } of features) expect(pages.get('/docs/feature-catalogue')).toContain(`<tr id="${code}">`);
});

test('every page lists all pages and marks the current one', async () => {
  const pages = await allPages();
  for (const [path, body] of pages) {
    const contents = body.slice(body.indexOf('<nav'), body.indexOf('</nav>'));
    for (const other of pages.keys()) expect(contents).toContain(`href="${other}"`);
    const current = [...contents.matchAll(/<a href="([^"]+)" aria-current="page">/g)].map(([, href]) => href);
    expect(current).toEqual(path === '/docs' ? [] : [path]);
  }
});

test('every link leads to an existing page and anchor, and anchors are unique on a page', async () => {
  const pages = await allPages();
  const anchorsByPage = new Map<string, string[]>();
  for (const [path, body] of pages) {
    const anchors = [...body.matchAll(/\sid="([^"]+)"/g)].map(([, anchor = '']) => anchor);
    expect(anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index)).toEqual([]);
    anchorsByPage.set(path, anchors);
  }
  const brokenLinks: string[] = [];
  for (const [path, body] of pages) {
    for (const [, href = ''] of body.matchAll(/<a [^>]*?href="([^"]*)"/g)) {
      const [page = '', anchor] = href.split('#');
      if (page === '/openapi.json') continue;
      const anchors = anchorsByPage.get(page === '' ? path : page);
      if (!anchors || (anchor !== undefined && !anchors.includes(anchor))) brokenLinks.push(`${path}: ${href}`);
    }
  }
  expect(brokenLinks).toEqual([]);
});

test('the search index has every page and operation, with addresses that exist', async () => {
  const pages = await allPages();
  const { headers, body } = await server.inject('/docs/search.json');
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  const rows = JSON.parse(body) as [title: string, page: string, href: string, verb: string, words: string][];
  const hrefs = rows.map(([, , href]) => href);
  expect(hrefs.filter((href, index) => hrefs.indexOf(href) !== index)).toEqual([]);
  for (const path of pages.keys()) if (path !== '/docs') expect(hrefs).toContain(path);
  for (const name of names) expect(hrefs.filter((href) => href.endsWith(`#${name}`))).toHaveLength(1);
  for (const href of hrefs) {
    const [page = '', anchor] = href.split('#');
    if (anchor !== undefined) expect(pages.get(page)).toContain(` id="${anchor}"`);
  }
});

test('every variable of a sample is set on its page', async () => {
  const unset: string[] = [];
  for (const [path, body] of await allPages()) {
    const samples = [...body.matchAll(/<pre[^>]*>([\s\S]*?)<\/pre>/g)].map(([, html = '']) =>
      html.replaceAll(/<[^>]+>/g, ''),
    );
    const lines = samples.join('\n');
    for (const name of new Set([...lines.matchAll(/\$([A-Z_]+)/g)].map(([, variable = '']) => variable))) {
      const isSet = new RegExp(`^${name}=`, 'm').test(lines);
      const isSetAtSignIn = ['FOYER', 'TOKEN', 'PASSWORD'].includes(name);
      if (!isSet && !isSetAtSignIn) unset.push(`${path}: ${name}`);
    }
  }
  expect(unset).toEqual([]);
});

test('an unknown page is a 404', async () => {
  for (const path of ['/docs/nothing', '/docs/__proto__', '/docs/rooms/more', '/docs/%3Cscript%3E'])
    expect((await server.inject(path)).statusCode).toBe(404);
  expect((await server.inject('/docs/search.json')).statusCode).toBe(200);
});

test('the pages escape the version and the public address', async () => {
  const hostileServer = fastify();
  const document = openApiDocument({ version: '<script>alert(1)</script>', serverUrl: `https://x/"'><img src=x>` });
  mountReference(hostileServer, () => document);
  for (const path of ['/docs', '/docs/rooms', '/docs/signing-in', '/docs/lists'])
    expect((await hostileServer.inject(path)).body).not.toMatch(/<script>|<img/);
  await hostileServer.close();
});

test('pages load files of this server only, and the browser logs no errors', async () => {
  for (const path of ['/docs', '/docs/rooms']) {
    const { page, requests, browserMessages, close } = await openPage(path);
    await page.locator('input').fill('room');
    await page.locator('.search-results a').first().waitFor();
    expect(requests.every((request) => request.startsWith(`${url}/`) || request.startsWith('data:'))).toBe(true);
    expect(requests.map((request) => new URL(request).pathname)).toEqual(
      expect.arrayContaining([path, '/docs/reference.css', '/docs/reference.js', '/docs/search.json']),
    );
    expect(browserMessages).toEqual([]);
    expect(await page.locator('.sample button').count()).toBe(await page.locator('.sample').count());
    await close();
  }
});

test('the search finds entries with all words, from any page', async () => {
  const { page, close } = await openPage('/docs/settings');
  const resultLinks = async () => {
    await page.locator('.search-results li').first().waitFor();
    return await page
      .locator('.search-results a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
  };
  await page.keyboard.press('/');
  await page.keyboard.type('RENEW subscr');
  expect((await resultLinks())[0]).toBe('/docs/subscriptions#renewSubscription');
  expect(await page.locator('nav .pages').isVisible()).toBe(false);
  expect(await page.locator('[role=status]').textContent()).toMatch(/^\d+ results?$/);
  await page.keyboard.press('ArrowDown');
  expect(
    await page
      .locator('.search-results a')
      .first()
      .evaluate((link) => link === document.activeElement),
  ).toBe(true);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/subscriptions#renewSubscription');
  await page.locator('input').fill('xylophone');
  expect(await resultLinks()).toEqual([]);
  expect(await page.locator('.search-results').textContent()).toBe('No results.');
  await page.locator('input').press('Escape');
  expect(await page.locator('nav .pages').isVisible()).toBe(true);
  for (const [words, href] of [
    ['create-rooms post', '/docs/rooms#createRoom'],
    ['/rooms/{room_id} delete', '/docs/rooms#deleteRoom'],
    ['provider-in-use', '/docs/error-codes#provider-in-use'],
    ['max_rooms', '/docs/feature-catalogue#max_rooms'],
    ['customer_prefix', '/docs/customers#Customer'],
  ] as const) {
    await page.locator('input').fill(words);
    expect(await resultLinks()).toContain(href);
  }
  await close();
});

test('the contents mark the section in view', async () => {
  const { page, close } = await openPage('/docs/rooms#createRoom');
  await page.locator('nav .anchors a[aria-current][href="#createRoom"]').waitFor({ state: 'visible' });
  expect(await page.locator('nav .anchors a[aria-current]').count()).toBe(1);
  await page.locator('#listRoomTokens h2').evaluate((heading) => heading.scrollIntoView());
  await page.locator('nav .anchors a[aria-current][href="#listRoomTokens"]').waitFor({ state: 'visible' });
  await close();
});

test('the copy button copies the command as text', async () => {
  const { page, close } = await openPage('/docs/subscriptions', { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.locator('#cancelSubscription .sample button').first().click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(
    /^curl -X POST \\\n {2}https:\/\/meet\.example\.com\/api\/v1\/subscriptions\/sub_\w{26}\/cancel \\\n/,
  );
  expect(copied).toContain('-H "Authorization: Bearer $TOKEN"');
  await close();
});

test('the guide shows the public address in its samples, and links endpoints and codes to the reference', async () => {
  const { body } = await server.inject('/docs/signing-in');
  expect(body).toContain('FOYER=https://meet.example.com');
  expect(body).toContain('<a href="/docs/authentication#loginAdmin"><code>POST /oauth/proxy/login</code></a>');
  expect((await server.inject('/docs/errors')).body).toContain(
    '<a href="/docs/error-codes#malformed-json"><code>malformed-json</code></a>',
  );
});

test('without JavaScript the pages are complete and show no search or copy buttons', async () => {
  const { page, close } = await openPage('/docs', { javaScriptEnabled: false });
  expect(await page.locator('.index li .verb').count()).toBe(names.length);
  await page.locator('nav a[href="/docs/rooms"]').click();
  expect(await page.locator('.operation:visible').count()).toBeGreaterThan(10);
  expect(await page.locator('.search:visible, .search-results:visible, .sample button:visible').count()).toBe(0);
  await close();
});

test('on a phone pages do not scroll sideways, and the contents open and close', async () => {
  const pages = await allPages();
  for (const javaScriptEnabled of [true, false]) {
    const { page, close } = await openPage('/docs', { viewport: { width: 390, height: 844 }, javaScriptEnabled });
    expect(await page.locator('nav').isVisible()).toBe(false);
    await page.locator('.bar .button').click();
    expect(await page.locator('nav').isVisible()).toBe(true);
    await page.locator('nav a[href="/docs/errors"]').click();
    expect(await page.locator('nav').isVisible()).toBe(false);
    await page.locator('.bar .button').click();
    await page.locator('nav a[href="#error-body"]').click();
    expect(await page.locator('nav').isVisible()).toBe(false);
    const heading = await page.locator('#error-body h2').boundingBox();
    expect(heading?.y).toBeGreaterThan(0);
    expect(heading?.y).toBeLessThan(844);
    await close();
  }
  const { page, close } = await openPage('/docs', { viewport: { width: 390, height: 844 } });
  for (const path of pages.keys()) {
    await page.goto(url + path);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect([path, width]).toEqual([path, 390]);
  }
  await close();
});

test('pages have no accessibility violations, in light and dark mode', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, close } = await openPage('/docs', { colorScheme, bypassCSP: true });
    for (const path of ['/docs', '/docs/signing-in', '/docs/lists', '/docs/error-codes', '/docs/rooms']) {
      await page.goto(url + path);
      await page.addScriptTag({ content: axeCore.source });
      const violations = await page.evaluate(async () => {
        const { axe } = window as unknown as { axe: typeof axeCore };
        // All operations have the same structure, so three of each page are checked.
        for (const extraOperation of document.querySelectorAll('.operation ~ .operation ~ .operation ~ .operation')) {
          document.querySelectorAll(`a[href="#${extraOperation.id}"]`).forEach((link) => link.parentElement?.remove());
          extraOperation.remove();
        }
        const result = await axe.run();
        return result.violations.map(
          ({ id, nodes }) =>
            `${id}: ${nodes
              .slice(0, 3)
              .map(({ html }) => html)
              .join(' ')}`,
        );
      });
      expect([path, violations]).toEqual([path, []]);
    }
    await close();
  }
});

/** All pages by path, found through the table of contents of the first page. */
async function allPages(): Promise<Map<string, string>> {
  const { body } = await server.inject('/docs');
  const pages = new Map([['/docs', body]]);
  for (const [, path = ''] of body.matchAll(/href="(\/docs\/[\w-]+)"/g)) {
    if (!pages.has(path)) pages.set(path, (await server.inject(path)).body);
  }
  expect(pages.size).toBeGreaterThan(20);
  return pages;
}

interface Visit {
  page: Page;
  requests: string[];
  browserMessages: string[];
  close: () => Promise<void>;
}

async function openPage(path: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const requests: string[] = [];
  const browserMessages: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => browserMessages.push(message.text()));
  page.on('pageerror', (error) => browserMessages.push(error.message));
  await page.goto(url + path);
  return { page, requests, browserMessages, close: () => context.close() };
}
