import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from './browser.ts';
import { credentials, type RunningFoyer, startFoyer } from './foyer.ts';
import { waitForQuietNetwork } from './network-quiet.ts';

let foyer: RunningFoyer;
let browser: Browser;

beforeAll(async () => {
  [foyer, browser] = await Promise.all([startFoyer(), openBrowser()]);
}, 120_000);

afterAll(async () => {
  await browser.close();
  await foyer.stop();
});

/** The maximum number of bytes that a view may transfer. */
const budget = 200 * 1024;

test('the sign-in page needs at most 200 KB on the wire, and so does the dashboard after it', async () => {
  const page = await browser.newPage();
  const received = await countBytes(page);
  await page.goto(`${foyer.url}/console/`, { waitUntil: 'networkidle' });
  await page.getByLabel('User name or email').waitFor();
  const signIn = received();
  await page.getByLabel('User name or email').fill(credentials.username);
  await page.getByRole('textbox', { name: 'Password' }).fill(credentials.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  await waitForQuietNetwork(page);
  const dashboard = received() - signIn;
  await page.close();
  expect(signIn).toBeLessThanOrEqual(budget);
  expect(dashboard).toBeLessThanOrEqual(budget);
});

test('the page shows a start screen before any script or style sheet has arrived', async () => {
  const page = await browser.newPage();
  await page.route('**/console/assets/**', () => new Promise(() => {}));
  await page.goto(`${foyer.url}/console/`, { waitUntil: 'commit' });
  await page.getByRole('status', { name: 'Loading' }).waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.close();
});

test('a screen whose code cannot be loaded shows an error and offers to reload', async () => {
  const page = await browser.newPage();
  await page.goto(`${foyer.url}/console/settings`);
  await page.getByLabel('User name or email').fill(credentials.username);
  await page.getByRole('textbox', { name: 'Password' }).fill(credentials.password);
  await page.route('**/assets/settings-screen-*.js', (route) => route.abort());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  await page.close();
});

test('assets are sent as Brotli or gzip if the client accepts it, with an immutable cache header, and a missing one is a 404', async () => {
  const page = await (await fetch(`${foyer.url}/console/`)).text();
  const [, script = ''] = /src="(\/console\/assets\/index-[^"]+\.js)"/.exec(page) ?? [];
  const plain = await fetchAs('identity', script);
  expect(plain.headers.get('content-encoding')).toBeNull();
  const code = await plain.text();
  for (const encoding of ['br', 'gzip']) {
    const answer = await fetchAs(encoding, script);
    expect(answer.headers.get('content-encoding')).toBe(encoding);
    expect(answer.headers.get('vary')).toMatch(/accept-encoding/i);
    expect(answer.headers.get('content-type')).toBe('application/javascript; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(await answer.text()).toBe(code);
  }
  const shell = await fetchAs('br', '/console/rooms');
  expect(shell.headers.get('content-encoding')).toBe('br');
  expect(shell.headers.get('cache-control')).toBe('no-cache');
  expect((await fetchAs('br', '/console/assets/index-earlier.js')).status).toBe(404);
});

function fetchAs(encoding: string, path: string): Promise<Response> {
  return fetch(foyer.url + path, { headers: { 'accept-encoding': encoding } });
}

/** @returns the number of bytes received so far, including headers */
async function countBytes(page: Page): Promise<() => number> {
  const session = await page.context().newCDPSession(page);
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await session.send('Network.enable');
  return () => bytes;
}
