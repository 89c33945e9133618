import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaultsInBothSchemes } from './accessibility-faults.ts';
import { openBrowser } from './browser.ts';
import { type RunningFoyer, startFoyer } from './foyer.ts';

let foyer: RunningFoyer;
let browser: Browser;
let accountId: string;
const phone = { viewport: { width: 360, height: 740 } };

beforeAll(async () => {
  [foyer, browser] = await Promise.all([startFoyer(), openBrowser()]);
  const [first] = (await foyer.admin.listAccounts({ query: { limit: 1 } })).data;
  accountId = first?.id ?? '';
});

afterAll(async () => {
  await browser.close();
  expect(await foyer.stop()).toBe(0);
});

async function makeRoom(body: Record<string, unknown> = {}) {
  const { data } = await foyer.admin.createRoom({
    body: { room_name: 'Harbour view', account_id: accountId, is_public: true, ...body },
  });
  return data;
}

/** Runs `act` with a new page in its own context. */
async function withPage<Result>(options: BrowserContextOptions, act: (page: Page) => Promise<Result>): Promise<Result> {
  const context = await browser.newContext(options);
  try {
    return await act(await context.newPage());
  } finally {
    await context.close();
  }
}

async function startMeeting(roomId: string): Promise<void> {
  const { data } = await foyer.admin.joinRoom({
    params: { room_id: roomId },
    body: { role: 'moderator', name: 'Mo' },
  });
  await withPage({}, async (page) => {
    await page.goto(data.url);
    await page.getByText('You are in').first().waitFor();
  });
}

test.each(['en', 'pt', 'pt-BR', 'de', 'es', 'fr'])(
  'in %s the join page, the waiting page and a refusal are accessible on a phone, in light and dark mode, without cut-off text',
  async (locale) => {
    const room = await makeRoom({ room_settings: { description: 'Every Tuesday.' } });
    const invited = await makeRoom({ is_public: false });
    await withPage({ ...phone, locale }, async (page) => {
      const isCutOff = () => page.evaluate('document.documentElement.scrollWidth > innerWidth');
      await page.goto(room.url);
      expect(await page.getAttribute('html', 'lang')).toBe(locale);
      expect([await accessibilityFaultsInBothSchemes(page), await isCutOff()]).toEqual([[], false]);
      await page.locator('#name').fill('Ann');
      await page.locator('button[type=submit]').click();
      await page.locator('[data-waiting]').waitFor();
      expect([await accessibilityFaultsInBothSchemes(page), await isCutOff()]).toEqual([[], false]);
      await page.goto(invited.url);
      expect([await accessibilityFaultsInBothSchemes(page), await isCutOff()]).toEqual([[], false]);
    });
  },
  60_000,
);

test.each(['en', 'pt', 'de'])(
  'in %s the main button is visible on a phone without scrolling: on the join page, on a personal link and while waiting',
  async (locale) => {
    const room = await makeRoom();
    const email = `grace-${locale}@example.com`;
    const { data: user } = await foyer.admin.createUser({ body: { email, first_name: 'Grace', last_name: 'Hopper' } });
    const { data: token } = await foyer.admin.createRoomToken({
      params: { room_id: room.id },
      body: { role: 'attendee', user_id: user.id },
    });
    await withPage({ viewport: { width: 390, height: 844 }, locale }, async (page) => {
      const bottomOf = async (selector: string) => {
        const box = await page.locator(selector).boundingBox();
        return box === null ? Infinity : box.y + box.height;
      };
      for (const url of [room.url, `${room.url}/sign-in`, token.url]) {
        await page.goto(url);
        expect([url, await bottomOf('button[type=submit]')]).toEqual([url, expect.toSatisfy((y: number) => y < 750)]);
      }
      await page.goto(room.url);
      await page.locator('#name').fill('Ann');
      await page.locator('button[type=submit]').click();
      await page.locator('[data-waiting]').waitFor();
      expect(await bottomOf('.button.quiet')).toBeLessThan(750);
    });
  },
  60_000,
);

test.each([
  ['with', true],
  ['without', false],
])(
  '%s JavaScript, a waiting attendee joins automatically when a moderator starts the meeting',
  async (_word, javaScriptEnabled) => {
    const room = await makeRoom();
    await withPage({ ...phone, locale: 'en', javaScriptEnabled }, async (page) => {
      await page.goto(room.url);
      await page.getByLabel('Your name').fill('Ann');
      await page.getByRole('button', { name: 'Wait to join' }).click();
      await page.getByText('Waiting for a moderator').waitFor();
      await startMeeting(room.id);
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Join now' }).click({ timeout: 20_000 });
      await page.waitForURL((url) => url.origin === new URL(foyer.sandboxUrl).origin, { timeout: 20_000 });
    });
  },
  60_000,
);

test('a room page loads only small, cacheable assets from its own origin', async () => {
  const room = await makeRoom();
  await withPage({ ...phone, locale: 'en' }, async (page) => {
    const loadedUrls: string[] = [];
    page.on('request', (request) => loadedUrls.push(request.url()));
    await page.goto(room.url, { waitUntil: 'networkidle' });
    expect(loadedUrls.filter((url) => new URL(url).origin !== foyer.url)).toEqual([]);
    expect(loadedUrls).toHaveLength(5);
    loadedUrls.length = 0;
    await page.reload({ waitUntil: 'networkidle' });
    const bytes = (await page.evaluate(
      'performance.getEntries().reduce((sum, entry) => sum + (entry.transferSize ?? 0), 0)',
    )) as number;
    expect(bytes).toBeLessThan(20_000);
  });
});

test('the name is remembered for the next visit', async () => {
  const [firstRoom, secondRoom] = [await makeRoom(), await makeRoom()];
  await withPage({ locale: 'en' }, async (page) => {
    await page.goto(firstRoom.url);
    await page.getByLabel('Your name').fill('Zoë O’Neill');
    await page.getByRole('button', { name: 'Wait to join' }).click();
    await page.goto(secondRoom.url);
    expect(await page.getByLabel('Your name').inputValue()).toBe('Zoë O’Neill');
  });
});

test('the page says which devices the browser has', async () => {
  const room = await makeRoom();
  await withPage({ locale: 'en' }, async (page) => {
    await page.goto(room.url);
    await page.getByText(/Microphone found|No microphone found/).waitFor();
    await page.getByText(/Camera found|No camera found/).waitFor();
  });
});

async function startPortal(address: string): Promise<Server & { readonly origin: string }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<iframe src="${address}" allow="camera *; microphone *" width="400" height="700"></iframe>`);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return Object.assign(server, { origin: `http://localhost:${(server.address() as AddressInfo).port}` });
}

test('an allowed origin can embed the room, where waiting visitors join automatically; other origins cannot', async () => {
  const { data: customer } = await foyer.admin.createCustomer({
    body: {
      customer_type: 'personal',
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: 'ada@example.com',
      country: 'GB',
      currency: 'GBP',
      password: 'difference engine no. 2',
    },
  });
  const [servicePackage] = (await foyer.admin.listServicePackages({ query: { limit: 1 } })).data;
  const { data: subscription } = await foyer.admin.createSubscription({
    body: { package_id: servicePackage?.id ?? '', subscriber_id: customer.id },
  });
  const { data: portalAccount } = await foyer.admin.createAccount({
    body: { account_name: 'Portal', subscription_id: subscription.id },
  });
  const room = await makeRoom({ account_id: portalAccount.id });
  const server = await startPortal(room.url);
  try {
    await withPage({ locale: 'en' }, async (page) => {
      await page.goto(server.origin);
      expect(await page.frames()[1]?.locator('#name').count()).toBe(0);
      await foyer.admin.updateCustomer({
        params: { customer_id: customer.id },
        body: { allowed_domains_origins: [server.origin] },
      });
      await page.goto(server.origin);
      const frame = page.frameLocator('iframe');
      await frame.getByText('shown inside another page').waitFor();
      await frame.getByLabel('Your name').fill('Ann');
      await frame.getByRole('button', { name: 'Wait to join' }).click();
      await frame.getByText('Waiting for a moderator').waitFor();
      const joinRequest = page.waitForRequest((request) => request.url().startsWith(new URL(foyer.sandboxUrl).origin));
      await startMeeting(room.id);
      expect((await joinRequest).frame().parentFrame()).not.toBeNull();
      await frame.getByText('You are in').first().waitFor();
    });
  } finally {
    server.close();
  }
}, 60_000);

test.each([
  ['en', 'Signed in as', 'Not you? Sign out'],
  ['de', 'Angemeldet als', 'Nicht Sie? Abmelden'],
])(
  'in %s a personal link works only for its user on a phone, with sign-in and sign-out; all pages are accessible, without cut-off text',
  async (locale, signedInAs, notYou) => {
    const password = 'difference engine no. 2';
    const email = `grace.hopper@${locale}.example`;
    const { data: user } = await foyer.admin.createUser({
      body: { email, first_name: 'Grace', last_name: 'Hopper-Oberhausen-Mittermeier', password },
    });
    const owner = (await foyer.admin.readAccount({ params: { account_id: accountId } })).data.subscriber_id;
    await foyer.admin.createCustomerUser({
      params: { customer_id: owner },
      body: { user_id: user.id, permissions: ['read-customer'] },
    });
    const room = await makeRoom({ is_public: false });
    const { data: link } = await foyer.admin.createRoomToken({
      params: { room_id: room.id },
      body: { role: 'moderator', user_id: user.id },
    });
    await withPage({ ...phone, locale }, async (page) => {
      const checkPage = async () => {
        const isCutOff = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        expect([await accessibilityFaultsInBothSchemes(page), isCutOff]).toEqual([[], false]);
      };
      const send = async (secret: string) => {
        await page.locator('#email').fill(email);
        await page.locator('#password').fill(secret);
        await page.locator('#password').press('Enter');
      };
      await page.goto(link.url);
      expect(await page.getByText('Grace').count()).toBe(0);
      await checkPage();
      await send('not the password');
      await page.getByRole('alert').waitFor();
      await checkPage();
      await send(password);
      await page.getByText(signedInAs).waitFor();
      await checkPage();
      await page.getByRole('button', { name: notYou }).click();
      await page.locator('#password').waitFor();
      await send(password);
      await page.locator('#name').press('Enter');
      await page.waitForURL((url) => url.origin === new URL(foyer.sandboxUrl).origin);
      await page.getByText('Grace Hopper-Oberhausen-Mittermeier').first().waitFor();
      await page.goto(room.url);
      await page.getByText(signedInAs).waitFor();
      await checkPage();
    });
  },
  60_000,
);
