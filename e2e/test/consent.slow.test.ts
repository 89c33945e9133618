import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults } from './accessibility-faults.ts';
import { openBrowser } from './browser.ts';
import { credentials, type RunningFoyer, startFoyer } from './foyer.ts';

let foyer: RunningFoyer;
let browser: Browser;
let app: { readonly url: string; readonly server: Server };

beforeAll(async () => {
  [foyer, browser, app] = await Promise.all([startFoyer(), openBrowser(), startApp()]);
});
afterAll(async () => {
  app.server.close();
  await browser.close();
  expect(await foyer.stop()).toBe(0);
});

/** A third-party app. It only has to receive the redirect of the browser. */
async function startApp(): Promise<{ url: string; server: Server }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>App</title><h1>Back in the app</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`, server };
}

async function registerApp() {
  const { data } = await foyer.admin.createOauthClient({
    body: {
      name: 'Timetable',
      population: 'admins',
      confidential: false,
      redirect_uris: ['http://127.0.0.1/callback'],
      grants: ['authorization_code', 'refresh_token'],
      scopes: ['rooms:read', 'rooms:write', 'customers:read', 'meetings:read'],
    },
  });
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: data.id,
    redirect_uri: app.url,
    scope: 'rooms:read rooms:write customers:read',
    state: 'from-the-app',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return { clientId: data.id, verifier, url: `${foyer.url}/oauth/authorize?${query.toString()}` };
}

async function requireAccessible(page: Page): Promise<void> {
  expect(await accessibilityFaults(page)).toEqual([]);
  const [contentWidth, windowWidth] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as [
    number,
    number,
  ];
  expect(contentWidth).toBeLessThanOrEqual(windowWidth);
}

const screens = [
  { device: 'a desk, in light', viewport: { width: 1280, height: 860 }, colorScheme: 'light', javaScriptEnabled: true },
  { device: 'a phone, in dark', viewport: { width: 390, height: 844 }, colorScheme: 'dark', javaScriptEnabled: true },
  {
    device: 'a small phone without JavaScript',
    viewport: { width: 320, height: 640 },
    colorScheme: 'light',
    javaScriptEnabled: false,
  },
] as const;

for (const { device, ...screen } of screens) {
  test(`on ${device}, an app gets tokens by login, consent and PKCE`, async () => {
    const { clientId, verifier, url } = await registerApp();
    const context = await browser.newContext(screen);
    const page = await context.newPage();
    const foreignOrigins: string[] = [];
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol.startsWith('http') && origin !== foyer.url && origin !== new URL(app.url).origin)
        foreignOrigins.push(origin);
    });
    await page.goto(url);
    if (screen.javaScriptEnabled) await requireAccessible(page);
    await page.getByLabel('User name or email').fill(credentials.username);
    await page.getByLabel('Your password').fill('a wrong password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Your password').fill(credentials.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Allow Timetable to access your account?' }).waitFor();
    expect(await page.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^Rooms\s+View and manage$/),
      expect.stringMatching(/^Customers\s+View$/),
    ]);
    if (screen.javaScriptEnabled) await requireAccessible(page);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Back in the app' }).waitFor();
    const redirect = new URL(page.url());
    expect([redirect.searchParams.get('state'), redirect.searchParams.get('iss')]).toEqual(['from-the-app', foyer.url]);
    const tokens = await foyer.admin.issueToken({
      body: {
        grant_type: 'authorization_code',
        client_id: clientId,
        code: redirect.searchParams.get('code') ?? '',
        redirect_uri: app.url,
        code_verifier: verifier,
      },
    });
    expect(tokens.scope).toBe('rooms:read rooms:write customers:read');
    expect(foreignOrigins).toEqual([]);
    await context.close();
  });
}

test('the CSP of the page allows the redirect to the app, after consent and after denial', async () => {
  const { url } = await registerApp();
  const context = await browser.newContext();
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  await page.goto(url);
  await page.getByLabel('User name or email').fill(credentials.username);
  await page.getByLabel('Your password').fill(credentials.password);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByRole('heading', { name: 'Back in the app' }).waitFor();
  expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  await page.goto(url);
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('heading', { name: 'Back in the app' }).waitFor();
  expect(new URL(page.url()).searchParams.get('code')).toMatch(/^fac_/);
  expect(problems.filter((problem) => !problem.includes('favicon'))).toEqual([]);
  await context.close();
});
