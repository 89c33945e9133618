import { createClient } from '@foyer/sdk';
import { generateSync } from 'otplib/functional';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults } from './accessibility-faults.ts';
import { openBrowser } from './browser.ts';
import { type RunningFoyer, startFoyer } from './foyer.ts';
import { waitForQuietNetwork } from './network-quiet.ts';

let foyer: RunningFoyer;
let browser: Browser;
const password = 'twelve green bottles';

beforeAll(async () => {
  [foyer, browser] = await Promise.all([startFoyer(), openBrowser()]);
  // Raises the rate limit, so that only wrong passwords can block a sign-in.
  await foyer.admin.updateSettings({ body: { logins_per_minute: 1000 } });
});
afterAll(async () => {
  await browser.close();
  expect(await foyer.stop()).toBe(0);
});

test('a second factor is set up in the console; its codes sign in, and each recovery code works once', async () => {
  const page = await openConsole(await makeAdmin('ada'), '/account');
  const { secret, recoveryCodes } = await setUpTwoFactor(page);
  expect(recoveryCodes).toHaveLength(10);
  await page.getByText('10 unused recovery codes are left.').waitFor();

  await signOut(page);
  await page.getByText('You have signed out.').waitFor();
  await enterCredentials(page, 'ada');
  await page.getByLabel('Code', { exact: true }).fill('000000');
  await page.getByText('The code is wrong, or it was used before.').waitFor();
  await page.getByLabel('Code', { exact: true }).fill(nextCode(secret));
  await page.getByRole('heading', { name: 'Your account' }).waitFor();

  const [recoveryCode = ''] = recoveryCodes;
  await signOut(page);
  await enterCredentials(page, 'ada');
  await enterRecoveryCode(page, recoveryCode);
  await page.getByText('9 unused recovery codes are left.').waitFor();
  await signOut(page);
  await enterCredentials(page, 'ada');
  await enterRecoveryCode(page, recoveryCode);
  await page.getByText('The code is wrong, or it was used before.').waitFor();
  await page.context().close();
});

test('another session can be ended while the current one continues, and a new sign-in keeps unsaved input', async () => {
  const username = await makeAdmin('grace');
  const page = await openConsole(username, '/account');
  const other = await openConsole(username, '/account');
  await page.reload();
  const sessions = page.getByRole('region', { name: 'Sessions' });
  await sessions.getByRole('listitem').nth(1).waitFor();
  expect(await sessions.getByText('This session').count()).toBe(1);
  expect(await sessions.getByRole('listitem').first().innerText()).toContain('127.0.0.1');

  await other.getByLabel('First name').fill('Rear Admiral');
  await sessions.getByRole('button', { name: /^End the session/ }).click();
  await page.getByRole('button', { name: 'End session' }).click();
  await page.getByText('The session has ended.').waitFor();
  expect(await sessions.getByRole('listitem').count()).toBe(1);

  const save = other.getByRole('button', { name: 'Save profile' });
  // The event stream may report the end before the click, and the sign-in form replaces the button.
  await save.click({ timeout: 5000 }).catch(() => undefined);
  await other.getByText('Your session has ended.').waitFor();
  expect(await other.getByLabel('First name').isVisible()).toBe(false);
  await other.getByRole('textbox', { name: 'Password' }).fill(password);
  await other.keyboard.press('Enter');
  await other.getByRole('heading', { name: 'Your account' }).waitFor();
  expect(await other.getByLabel('First name').inputValue()).toBe('Rear Admiral');
  await save.click();
  await other.getByText('Your profile has been saved.').waitFor();
  await Promise.all([page.context().close(), other.context().close()]);
});

test('a personal token is shown once, works within its scopes, and stops working when it is revoked', async () => {
  const page = await openConsole(await makeAdmin('mary'), '/account');
  const tokens = page.getByRole('region', { name: 'Personal access tokens' });
  await tokens.getByRole('button', { name: 'New token…' }).click();
  const form = page.getByRole('dialog', { name: 'New personal access token' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Nightly report');
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByText('at least one scope').waitFor();
  await page.getByLabel('See customers').check();
  await page.getByRole('button', { name: 'Create token' }).click();
  const token = await page.getByRole('dialog').getByLabel('Token').innerText();
  expect(token).toMatch(/^fpt_/);
  await page.getByRole('button', { name: 'I have it' }).click();
  await tokens.getByText('Nightly report').waitFor();
  expect(await page.content()).not.toContain(token);

  const program = createClient({ baseUrl: foyer.url, token });
  await expect(program.listCustomers()).resolves.toMatchObject({ data: expect.any(Array) as unknown[] });
  await expect(program.listRooms()).rejects.toMatchObject({ status: 403 });
  await tokens.getByRole('button', { name: 'Revoke Nightly report' }).click();
  await page.getByRole('button', { name: 'Revoke token' }).click();
  await tokens.getByText('You have no personal access tokens.').waitFor();
  await expect(program.listCustomers()).rejects.toMatchObject({ status: 401 });
  await page.context().close();
});

test('changing the password needs the current one, and errors are shown at their field', async () => {
  const page = await openConsole(await makeAdmin('joan'), '/account');
  await page.getByLabel('Current password').fill('not the password');
  await page.getByLabel('New password').fill('a longer sentence');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('The password is wrong.').waitFor();
  await page.getByLabel('Current password').fill(password);
  await page.getByLabel('New password').fill('short');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByLabel('New password').and(page.locator('[aria-invalid="true"]')).waitFor();
  await page.getByLabel('New password').fill('a longer sentence');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Your password has been changed.').waitFor();
  await signOut(page);
  await enterCredentials(page, 'joan');
  await page.getByText(/name or password is wrong/).waitFor();
  await enterCredentials(page, 'joan', 'a longer sentence');
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  await page.context().close();
});

test('if the platform requires a second factor, an administrator without one must set it up before continuing', async () => {
  const username = await makeAdmin('dorothy');
  await foyer.admin.updateSettings({ body: { require_two_factor: true } });
  const page = await openConsole(username, '/account', 'Set up two-factor sign-in');
  await checkAccessibility(page);
  const { secret } = await enroll(page, 'Continue');
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  await signOut(page);
  await enterCredentials(page, username);
  await page.getByLabel('Code', { exact: true }).fill(nextCode(secret));
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  await checkAccessibility(page);
  await page.context().close();
});

test('after a forgotten password a link can be requested; without a mail server the page says what to do', async () => {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${foyer.url}/console/`);
  await page.getByLabel('User name or email').fill('joan@example.com');
  await page.getByRole('button', { name: 'Forgot password?' }).click();
  expect(await page.getByLabel('Email').inputValue()).toBe('joan@example.com');
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByText('Ask an administrator for a link').waitFor();
  await checkAccessibility(page);
  await page.getByRole('button', { name: 'Back to sign-in' }).click();
  await page.getByRole('heading', { name: 'Sign in to Foyer' }).waitFor();
  await page.context().close();
});

/** The last test: it blocks sign-ins from this address. */
test('after too many failed sign-ins, the page says when to try again', async () => {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${foyer.url}/console/`);
  await checkAccessibility(page);
  const anonymous = createClient({ baseUrl: foyer.url });
  for (let attempt = 0; attempt < 10; attempt++) {
    await anonymous.loginAdmin({ body: { username: 'nobody', password: 'wrong' } }).catch(() => null);
  }
  await enterCredentials(page, 'joan', 'a longer sentence');
  await page.getByText(/Try again at \d\d:\d\d/).waitFor();
  await checkAccessibility(page);
  await page.context().close();
});

/** @returns the user name of a new administrator with full access */
async function makeAdmin(username: string): Promise<string> {
  const { data: roles } = await foyer.admin.listRoles({ query: { search: 'name:admin', searchFields: 'name:=' } });
  await foyer.admin.createAdmin({
    body: {
      username,
      email: `${username}@example.com`,
      first_name: username,
      last_name: 'Example',
      password,
      roles_ids: roles.map(({ id }) => id),
    },
  });
  return username;
}

async function openConsole(username: string, path: string, heading = 'Your account'): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  await page.goto(`${foyer.url}/console${path}`);
  await enterCredentials(page, username);
  await page.getByRole('heading', { name: heading }).waitFor();
  return page;
}

async function enterCredentials(page: Page, username: string, secret = password): Promise<void> {
  await page.getByLabel('User name or email').fill(username);
  await page.getByRole('textbox', { name: 'Password' }).fill(secret);
  await page.keyboard.press('Enter');
}

async function enterRecoveryCode(page: Page, code: string): Promise<void> {
  await page.getByRole('button', { name: 'Use a recovery code instead' }).click();
  await page.getByLabel('Recovery code', { exact: true }).fill(code.toLowerCase());
  await page.keyboard.press('Enter');
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Your account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Foyer' }).waitFor();
}

async function setUpTwoFactor(page: Page) {
  await page.getByRole('button', { name: 'Set up…' }).click();
  return await enroll(page, 'Done');
}

/** Sets up two-factor sign-in with the key next to the QR code. */
async function enroll(page: Page, doneLabel: string): Promise<{ secret: string; recoveryCodes: string[] }> {
  await page.getByLabel('Your password').fill(password);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  const secret = (await page.getByText(/^([A-Z2-7]{4} ?){8}$/).innerText()).replaceAll(' ', '');
  await page.getByLabel('Code from the app').fill('000000');
  await page.getByRole('button', { name: 'Switch it on' }).click();
  await page.getByText('The code is wrong, or it was used before.').waitFor();
  await page.getByLabel('Code from the app').fill(generateSync({ secret }));
  await page.getByRole('button', { name: 'Switch it on' }).click();
  const codeItems = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await codeItems.last().waitFor();
  const recoveryCodes = await codeItems.allInnerTexts();
  await page.getByLabel('I have saved the codes').check();
  await page.getByRole('button', { name: doneLabel }).click();
  return { secret, recoveryCodes };
}

/** A code can only be used once. The next one is already accepted. */
function nextCode(secret: string): string {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + 30 });
}

async function checkAccessibility(page: Page): Promise<void> {
  await waitForQuietNetwork(page);
  expect(await accessibilityFaults(page)).toEqual([]);
}
