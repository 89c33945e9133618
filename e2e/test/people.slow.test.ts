import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults } from './accessibility-faults.ts';
import { openBrowser } from './browser.ts';
import { type RunningFoyer, startFoyer } from './foyer.ts';
import { waitForQuietNetwork } from './network-quiet.ts';
import { openSignedInPage } from './signed-in-page.ts';

let foyer: RunningFoyer;
let browser: Browser;
let page: Page;
/** Uncaught errors of the opened pages. */
const browserErrors: string[] = [];
/** Paths of the created resources. The last test checks their accessibility. */
const createdPaths: string[] = [];

beforeAll(async () => {
  [foyer, browser] = await Promise.all([startFoyer(), openBrowser()]);
  page = await openSignedInPage(browser, foyer, browserErrors);
});
afterAll(async () => {
  await browser.close();
  expect(await foyer.stop()).toBe(0);
});

async function open(path: string): Promise<void> {
  await page.goto(`${foyer.url}/console${path}`);
}

/** Waits for the page of the created resource, and adds its path to `createdPaths`. */
async function waitForPageOf(name: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor();
  const { pathname, search } = new URL(page.url());
  createdPaths.push(pathname.replace('/console', '') + search);
}

async function press(name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}

function field(label: string): Locator {
  const dialog = page.getByRole('dialog');
  return dialog
    .getByRole('textbox', { name: label, exact: true })
    .or(dialog.getByRole('combobox', { name: label, exact: true }))
    .first();
}

async function fill(label: string, text: string): Promise<void> {
  await field(label).fill(text);
}

async function choose(label: string, option: RegExp): Promise<void> {
  await field(label).click();
  await page.getByRole('option', { name: option }).first().click();
}

/** Reads the link or secret from the dialog that shows it once, and closes the dialog. */
async function readAndClose(label: string): Promise<string> {
  const text = await page.getByLabel(label, { exact: true }).textContent();
  await press('I have it');
  return text ?? '';
}

test('selecting permissions in the matrix also selects the read permissions that they require', async () => {
  await open('/roles');
  await press('New role');
  await fill('Name', 'room-service');
  await fill('Display name', 'Room service');
  await press('Create role');
  await waitForPageOf('Room service');
  expect(await page.getByLabel('Read rooms', { exact: true }).isChecked()).toBe(false);
  await page.getByLabel('Update rooms', { exact: true }).check();
  expect(await page.getByLabel('Read rooms', { exact: true }).isChecked()).toBe(true);
  await page.getByText('Also selected: Read rooms').waitFor();
  await press('Save permissions');
  await page.getByText('The permissions have been saved').waitFor();
  const { data } = await foyer.admin.listRoles({ query: { search: 'name:room-service', include: 'permissions' } });
  const [role] = data as unknown as { permissions: { data: { name: string }[] } }[];
  expect(role?.permissions.data.map(({ name }) => name).toSorted()).toEqual([
    'access-dashboard',
    'read-rooms',
    'update-rooms',
  ]);
});

test('an administrator is created with the role, and the link to choose a password is shown once', async () => {
  await open('/admins');
  await press('New administrator');
  await fill('First name', 'Grace');
  await fill('Last name', 'Porter');
  await fill('Email', 'grace.porter@example.org');
  await fill('User name', 'grace.porter');
  await choose('Roles', /Room service/);
  await press('Create administrator');
  expect(await readAndClose('Link')).toMatch(/^http/);
  await waitForPageOf('Grace Porter');
  await page.getByRole('link', { name: 'Room service' }).waitFor();
});

test('the last full administrator cannot lose the role, and the dialog shows the error message of the API', async () => {
  const { data: caller } = await foyer.admin.readCallingAdmin();
  await open(`/admins/${caller.id}`);
  await press('Change roles');
  await page.getByRole('dialog').getByRole('checkbox', { name: 'Administrator' }).click();
  await press('Save roles');
  const refusal = page.getByRole('dialog').getByRole('alert');
  await refusal.waitFor();
  expect(await refusal.textContent()).toMatch(/last|administrator/i);
  expect((await foyer.admin.readCallingAdmin()).data.permissions.length).toBeGreaterThan(10);
});

test('a user is created, becomes a member of a customer, and is listed among its people', async () => {
  await open('/users');
  await press('New user');
  await fill('First name', 'Mary');
  await fill('Last name', 'Somerville');
  await fill('Email', 'mary.somerville@example.org');
  await press('Create user');
  expect(await readAndClose('Link')).toMatch(/^http/);
  await waitForPageOf('Mary Somerville');
  await press('Add membership');
  await choose('Customer', /./);
  await page.getByRole('dialog').getByLabel('Manage people').first().check();
  await page.getByRole('dialog').getByRole('button', { name: 'Add membership' }).click();
  const row = page.getByRole('row', { name: /manage people/ });
  await row.waitFor();
  await row.getByRole('link').click();
  await page.getByRole('tab', { name: 'People' }).click();
  await page.getByRole('link', { name: 'Mary Somerville' }).waitFor();
  await waitForPageOf(/./);
});

test('the link of a new invitation is shown once, and the invitation can be withdrawn', async () => {
  await press('Add person');
  await fill('Email', 'invited@example.org');
  await press('Invite');
  expect(await readAndClose('Link')).toMatch(/^http/);
  const row = page.getByRole('row', { name: /invited@example.org/ });
  await row.getByText('Pending').waitFor();
  await row.getByRole('button', { name: /Actions for the invitation/ }).click();
  await page.getByRole('menuitem', { name: 'Withdraw' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await row.getByText('Withdrawn').waitFor();
});

test('another person can be made the owner of a customer, and the former owner keeps every right', async () => {
  const row = page.getByRole('row', { name: /Mary Somerville/ });
  const ownerRow = page.getByRole('row').filter({ hasText: 'Owner' });
  const name = (await ownerRow.getByRole('link').textContent()) ?? '';
  await row.getByRole('button', { name: /Actions for Mary/ }).click();
  await page.getByRole('menuitem', { name: 'Make owner' }).click();
  await press('Make owner');
  await row.getByText('Owner').waitFor();
  await page.getByRole('row').filter({ hasText: name }).getByText('everything').first().waitFor();
});

test('the secret of an OAuth client is shown only once', async () => {
  await open('/oauth-clients');
  await press('New OAuth client');
  await fill('Name', 'Wiki plug-in');
  await choose('Who signs in', /Users/);
  await fill('Redirect addresses', 'https://wiki.example.org/callback');
  await page.keyboard.press('Enter');
  await page.getByLabel('See rooms', { exact: true }).check();
  await press('Create OAuth client');
  const secret = await readAndClose('Secret');
  expect(secret.length).toBeGreaterThan(20);
  await waitForPageOf('Wiki plug-in');
  await page.getByText('https://wiki.example.org/callback').waitFor();
  await page.reload();
  await page.getByText('The secret was shown once').waitFor();
  expect(await page.content()).not.toContain(secret);
});

test('the audit log shows every change with its actor and values, and no secret', async () => {
  await open('/audit-log');
  for (const title of [
    'Role created',
    'Role permissions changed',
    'Administrator created',
    'User created',
    'Customer user created',
    'OAuth client created',
  ]) {
    await page.getByRole('link', { name: title }).first().waitFor();
  }
  await page.getByRole('link', { name: 'OAuth client created' }).first().click();
  await waitForPageOf('OAuth client created');
  await page.getByText('set; secrets are never shown').waitFor();
  await page.getByText('https://wiki.example.org/callback').waitFor();
});

test('the search finds people, roles and clients by name on every page', async () => {
  await page.keyboard.press('Control+k');
  for (const [words, kind] of [
    ['Grace Porter', 'Administrators'],
    ['Room service', 'Roles'],
    ['Mary Somerville', 'Users'],
    ['Wiki plug-in', 'OAuth clients'],
  ] as const) {
    await page.getByPlaceholder('Name, email or tag').fill(words);
    await page.getByRole('group', { name: kind }).getByText(words).waitFor();
  }
  await page.keyboard.press('Escape');
});

test('the screens of people, roles, clients and the audit log are accessible, on wide and narrow viewports', async () => {
  for (const path of ['/admins', '/roles', '/oauth-clients', '/audit-log', ...createdPaths]) {
    await page.setViewportSize({ width: 1280, height: 860 });
    await open(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await waitForQuietNetwork(page);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 860 });
      await expect
        .poll(async () => [width, path, await page.evaluate('document.documentElement.scrollWidth <= innerWidth')])
        .toEqual([width, path, true]);
      expect([width, path, await accessibilityFaults(page)]).toEqual([width, path, []]);
    }
  }
  expect(browserErrors).toEqual([]);
});
