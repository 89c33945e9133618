import { endpoints } from '@foyer/contract';
import { errorCodes } from '@foyer/contract/error-codes.ts';
import { features } from '@foyer/contract/features.ts';
import { openApiDocument } from '@foyer/contract/openapi.ts';
import { permissions } from '@foyer/contract/permissions.ts';
import axeCore from 'axe-core';
import fastify, { type FastifyInstance } from 'fastify';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mountReference } from '../src/reference/mount-reference.ts';

const names = Object.keys(endpoints);
let publicUrl = 'https://meet.example.com';
let app: FastifyInstance;
let url: string;
let browser: Browser;

beforeAll(async () => {
  app = fastify();
  mountReference(app, () => openApiDocument({ version: '0.1.0', serverUrl: publicUrl }));
  url = await app.listen({ host: '127.0.0.1', port: 0 });
  browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync'],
  });
});

afterAll(async () => {
  await browser.close();
  await app.close();
});

test('the document is served with the public address', async () => {
  const { headers, body } = await app.inject('/openapi.json');
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(JSON.parse(body)).toEqual(
    JSON.parse(JSON.stringify(openApiDocument({ version: '0.1.0', serverUrl: publicUrl }))),
  );
});

test('whoever has the newest already is told so, and a changed address makes everything new', async () => {
  const before = new Map<string, string>();
  for (const path of ['/openapi.json', '/docs', '/docs/reference.css', '/docs/reference.js']) {
    const { headers, statusCode } = await app.inject(path);
    expect(statusCode).toBe(200);
    const etag = String(headers['etag']);
    expect(etag).toMatch(/^"[\w-]+"$/);
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await app.inject({ url: path, headers: { 'if-none-match': tag } });
      expect([again.statusCode, again.body]).toEqual([304, '']);
    }
    expect((await app.inject({ url: path, headers: { 'if-none-match': '"other"' } })).statusCode).toBe(200);
    before.set(path, etag);
  }
  publicUrl = 'https://other.example.com';
  for (const path of ['/openapi.json', '/docs']) {
    const { headers, body } = await app.inject(path);
    expect(headers['etag']).not.toBe(before.get(path));
    expect(body).toContain('https://other.example.com/api/v1');
  }
  publicUrl = 'https://meet.example.com';
});

test('it is compressed for whoever takes that', async () => {
  for (const [accepted, encoding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['identity', undefined],
  ] as const) {
    const { headers, rawPayload } = await app.inject({ url: '/docs', headers: { 'accept-encoding': accepted } });
    expect([headers['content-encoding'], headers['vary']]).toEqual([encoding, 'accept-encoding']);
    expect(rawPayload.length < 100_000).toBe(encoding !== undefined);
  }
  const answer = await fetch(`${url}/docs`, { headers: { 'accept-encoding': 'br' } });
  expect(await answer.text()).toBe((await app.inject('/docs')).body);
});

test('the page stays below 400 KB and runs nothing inline', async () => {
  const { body, headers } = await app.inject('/docs');
  expect(Buffer.byteLength(body)).toBeLessThan(400_000);
  expect(headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'self'; style-src 'self';/);
  expect(headers['content-security-policy']).not.toContain('unsafe');
  expect(body).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]+src="\/docs\/)/i);
  expect(
    [...body.matchAll(/<(?:script|img|iframe|link|source)[^>]+(?:src|href)="([^"]+)"/g)].map(([, to]) => to),
  ).toEqual([
    expect.stringMatching(/^data:image\/svg\+xml,/),
    expect.stringMatching(/^\/docs\/reference\.css\?v=/),
    expect.stringMatching(/^\/docs\/reference\.js\?v=/),
  ]);
});

test('every operation, error code, permission and feature is on it', async () => {
  const { body } = await app.inject('/docs');
  for (const name of names) expect(body).toContain(`<section class="operation" id="${name}">`);
  for (const code of Object.keys(errorCodes)) expect(body).toContain(`<code>${code}</code>`);
  for (const permission of permissions) expect(body).toContain(`<code>${permission.name}</code>`);
  for (const feature of features) expect(body).toContain(`<code>${feature.code}</code>`);
});

test('every link within the page leads to a place on it, and no place has the name of another', async () => {
  const { body } = await app.inject('/docs');
  const places = [...body.matchAll(/\sid="([^"]+)"/g)].map(([, place]) => place);
  expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([]);
  const targets = new Set([...body.matchAll(/href="#([^"]*)"/g)].map(([, target]) => target));
  expect([...targets].filter((target) => !places.includes(target))).toEqual([]);
});

test('nothing of the document can break out of the page', async () => {
  const hostile = fastify();
  const document = openApiDocument({ version: '<script>alert(1)</script>', serverUrl: `https://x/"'><img src=x>` });
  mountReference(hostile, () => document);
  const { body } = await hostile.inject('/docs');
  await hostile.close();
  expect(body).not.toMatch(/<script>|<img/);
});

test('the browser loads nothing from elsewhere and finds nothing to complain about', async () => {
  const { page, requests, complaints, close } = await open('/docs');
  expect(requests.every((request) => request.startsWith(`${url}/`) || request.startsWith('data:'))).toBe(true);
  expect(requests.map((request) => new URL(request).pathname)).toEqual(
    expect.arrayContaining(['/docs', '/docs/reference.css', '/docs/reference.js']),
  );
  expect(complaints).toEqual([]);
  expect(await page.locator('.sample button').count()).toBe(await page.locator('.sample').count());
  await close();
});

test('the search leaves the operations in which every word occurs, and gives the rest back', async () => {
  const { page, close } = await open('/docs');
  const shown = () =>
    page
      .locator('.operation')
      .evaluateAll((all) => all.filter((one) => !(one as HTMLElement).hidden).map(({ id }) => id));
  expect(await shown()).toEqual(await page.locator('.operation').evaluateAll((all) => all.map(({ id }) => id)));
  await page.keyboard.press('/');
  await page.keyboard.type('RENEW subscr');
  expect(await shown()).toEqual(['renewSubscription']);
  expect(await page.locator('nav li:visible').count()).toBe(1);
  expect(await page.locator('[role=status]').textContent()).toBe('1 operation');
  await page.keyboard.press('Enter');
  expect(new URL(page.url()).hash).toBe('#renewSubscription');
  await page.locator('input').fill('no such thing');
  expect(await shown()).toEqual([]);
  expect(await page.locator('main > .none').isVisible()).toBe(true);
  await page.locator('input').press('Escape');
  expect(await shown()).toHaveLength(names.length);
  expect(await page.locator('main > .none').isVisible()).toBe(false);
  await page.locator('input').fill('create-rooms');
  expect(await shown()).toEqual(['createRoom']);
  await close();
});

test('the contents mark where the reader is', async () => {
  const { page, close } = await open('/docs#createRoom');
  await page.locator('nav a[aria-current][href="#createRoom"]').waitFor({ state: 'visible' });
  expect(await page.locator('nav a[aria-current]').count()).toBe(1);
  await page.locator('#listCustomers').scrollIntoViewIfNeeded();
  await page.locator('#listCustomers h3').evaluate((heading) => heading.scrollIntoView());
  await page.locator('nav a[aria-current][href="#listCustomers"]').waitFor({ state: 'visible' });
  await close();
});

test('a sample is copied as it would be typed', async () => {
  const { page, close } = await open('/docs', { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.locator('#cancelSubscription .sample button').first().click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(
    /^curl -X POST \\\n {2}https:\/\/meet\.example\.com\/api\/v1\/subscriptions\/sub_\w{26}\/cancel \\\n/,
  );
  expect(copied).toContain('-H "Authorization: Bearer $TOKEN"');
  await close();
});

test('without JavaScript everything is there to read, and nothing that would need it', async () => {
  const { page, close } = await open('/docs', { javaScriptEnabled: false });
  expect(await page.locator('.operation:visible').count()).toBe(names.length);
  expect(await page.locator('.search:visible, .sample button:visible').count()).toBe(0);
  await close();
});

test('on a phone nothing sticks out, and the contents open and close', async () => {
  for (const javaScriptEnabled of [true, false]) {
    const { page, close } = await open('/docs', { viewport: { width: 390, height: 844 }, javaScriptEnabled });
    expect(await page.locator('nav').isVisible()).toBe(false);
    await page.locator('.bar .button').click();
    expect(await page.locator('nav').isVisible()).toBe(true);
    await page.locator('nav a[href="#errors"]').click();
    expect(await page.locator('nav').isVisible()).toBe(false);
    const heading = await page.locator('#errors h2').boundingBox();
    expect(heading?.y).toBeGreaterThan(0);
    expect(heading?.y).toBeLessThan(844);
    expect(await page.evaluate(() => document.querySelector('main')?.scrollWidth)).toBeLessThanOrEqual(390);
    await close();
  }
});

test('nothing on it keeps anybody out, in light and in dark', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, close } = await open('/docs', { colorScheme, bypassCSP: true });
    await page.addScriptTag({ content: axeCore.source });
    const violations = await page.evaluate(async () => {
      const { axe } = window as unknown as { axe: typeof axeCore };
      // The operations are all made alike: three of each chapter will do.
      for (const more of document.querySelectorAll('.operation ~ .operation ~ .operation ~ .operation')) more.remove();
      const found = await axe.run();
      return found.violations.map(
        ({ id, nodes }) =>
          `${id}: ${nodes
            .slice(0, 3)
            .map(({ html }) => html)
            .join(' ')}`,
      );
    });
    expect(violations).toEqual([]);
    await close();
  }
});

interface Visit {
  page: Page;
  requests: string[];
  complaints: string[];
  close: () => Promise<void>;
}

async function open(path: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(url + path);
  return { page, requests, complaints, close: () => context.close() };
}
