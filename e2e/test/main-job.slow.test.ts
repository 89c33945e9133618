import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from './browser.ts';
import { type RunningFoyer, startFoyer } from './foyer.ts';

let foyer: RunningFoyer;
let browser: Browser;

beforeAll(async () => {
  [foyer, browser] = await Promise.all([startFoyer(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  expect(await foyer.stop()).toBe(0);
});

/** Creates a room and all that it needs, beginning with the service provider, as an integration would. */
async function createRoomFromScratch(features: Record<string, string>, room: Record<string, unknown> = {}) {
  const { admin } = foyer;
  const { data: provider } = await admin.createServiceProvider({
    body: {
      provider_name: 'Sandbox, sold',
      provider_type: 'bigbluebutton',
      properties: { host_url: foyer.sandboxUrl, secret: 'sandbox-secret' },
    },
  });
  const { data: servicePackage } = await admin.createServicePackage({ body: { name: 'Journeys' } });
  const params = { service_package_id: servicePackage.id };
  for (const [tag, value] of Object.entries(features))
    await admin.createServicePackageFeature({ params, body: { tag, value } });
  await admin.createServicePackageProvider({ params, body: { service_provider_id: provider.id, default: true } });
  const { data: customer } = await admin.createCustomer({
    body: {
      customer_type: 'personal',
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: `ada-${Date.now()}@example.com`,
      country: 'GB',
      currency: 'GBP',
      password: 'difference engine',
    },
  });
  const { data: subscription } = await admin.createSubscription({
    body: { package_id: servicePackage.id, subscriber_id: customer.id },
  });
  const { data: account } = await admin.createAccount({
    body: { account_name: 'Analytical', subscription_id: subscription.id },
  });
  const newRoom = await admin.createRoom({
    body: { room_name: "Ada's room & <friends>", account_id: account.id, ...room },
  });
  return { room: newRoom.data, subscription };
}

const features = { max_accounts: '1', max_rooms: '3', max_participants: '10', guest_access: 'true' };

async function createLink(roomId: string, role: 'moderator' | 'attendee' | 'guest'): Promise<string> {
  return (await foyer.admin.createRoomToken({ params: { room_id: roomId }, body: { role } })).data.url;
}

async function readStatus(roomId: string) {
  return (await foyer.admin.readRoomStatus({ params: { room_id: roomId } })).data;
}

test('a room is created from scratch, joined and left', async () => {
  const { room, subscription } = await createRoomFromScratch(features);
  const page = await browser.newPage();
  await page.goto(await createLink(room.id, 'moderator'));
  await page.getByRole('heading', { level: 1, name: "Ada's room & <friends>" }).waitFor();
  await page.getByLabel('Your name').fill('Ada "Countess" <Lovelace>');
  await page.getByRole('button').click();
  await page.getByText('You are in').waitFor();
  expect(new URL(page.url()).origin).toBe(foyer.sandboxUrl);
  await expect
    .poll(async () => await readStatus(room.id))
    .toMatchObject({
      status: 'active',
      running: true,
      participant_count: 1,
      moderator_count: 1,
      provider: { name: 'Sandbox, sold', type: 'bigbluebutton' },
    });
  const usage = await foyer.admin.readSubscriptionUsage({ params: { subscription_id: subscription.id } });
  expect(usage.data.find(({ tag }) => tag === 'max_rooms')?.usage.data.used).toBe(1);
  await page.getByRole('button', { name: 'Leave' }).click();
  await expect.poll(async () => (await readStatus(room.id)).participant_count).toBe(0);
  await page.close();
});

test('a waiting attendee joins automatically when a moderator starts the meeting', async () => {
  const { room } = await createRoomFromScratch(features);
  const [attendee, moderator] = await Promise.all([browser.newContext(), browser.newContext()]);
  const attendeePage = await attendee.newPage();
  await attendeePage.goto(await createLink(room.id, 'attendee'));
  await attendeePage.getByLabel('Your name').fill('Charles');
  await attendeePage.getByRole('button').click();
  await attendeePage.waitForURL(/\/waiting/);
  expect(await readStatus(room.id)).toMatchObject({ status: 'inactive', participant_count: 0 });
  const moderatorPage = await moderator.newPage();
  await moderatorPage.goto(await createLink(room.id, 'moderator'));
  await moderatorPage.getByLabel('Your name').fill('Ada');
  await moderatorPage.getByRole('button').click();
  await moderatorPage.getByText('You are in').waitFor();
  await attendeePage.getByText('You are in').waitFor({ timeout: 30_000 });
  await expect.poll(async () => (await readStatus(room.id)).participant_count).toBe(2);
  await Promise.all([attendee.close(), moderator.close()]);
});

test('the link in the output of npm start opens the demonstration room', async () => {
  const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
  await page.goto(foyer.demoLink);
  await page.getByLabel('Your name').fill('Visitor');
  await page.getByRole('button').click();
  await page.getByText('You are in').waitFor();
  await page.close();
});
