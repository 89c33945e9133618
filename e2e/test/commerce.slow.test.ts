import { readFile } from 'node:fs/promises';
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
/** The paths of the created resources, for the accessibility check at the end. */
const createdPaths: string[] = [];

beforeAll(async () => {
  [foyer, browser] = await Promise.all([startFoyer(), openBrowser()]);
  await createPackages();
  page = await openSignedInPage(browser, foyer, browserErrors);
});
afterAll(async () => {
  await browser.close();
  expect(await foyer.stop()).toBe(0);
});

/** Two packages with the demo provider that `startFoyer` creates: a small one and a larger one. */
async function createPackages(): Promise<void> {
  const [provider] = (await foyer.admin.listServiceProviders()).data;
  for (const [name, price, tier, rooms] of [
    ['Classroom', 20, 10, 2],
    ['Whole school', 100, 20, 40],
  ] as const) {
    const { data } = await foyer.admin.createServicePackage({
      body: { name, price, tier, currency: 'EUR', periodicity: 1, periodicity_type: 'month', status: 'active' },
    });
    const params = { service_package_id: data.id };
    await foyer.admin.createServicePackageFeature({ params, body: { tag: 'max_rooms', value: rooms } });
    await foyer.admin.createServicePackageFeature({ params, body: { tag: 'max_accounts', value: 5 } });
    await foyer.admin.createServicePackageProvider({ params, body: { service_provider_id: provider?.id ?? '' } });
  }
}

async function open(path: string): Promise<void> {
  await page.goto(`${foyer.url}/console${path}`);
}

function pathname(): string {
  return new URL(page.url()).pathname.replace('/console', '');
}

/** Waits for the page of the created resource, and remembers its path. */
async function waitForCreated(name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor();
  createdPaths.push(pathname());
}

function dialog(): Locator {
  return page.getByRole('dialog');
}

async function press(name: string, within: Page | Locator = page): Promise<void> {
  await within.getByRole('button', { name, exact: true }).click();
}

async function chooseAction(name: string): Promise<void> {
  await press('More actions');
  await page.getByRole('menuitem', { name }).click();
}

function field(label: string): Locator {
  return dialog()
    .getByRole('textbox', { name: label })
    .or(dialog().getByRole('combobox', { name: label }))
    .first();
}

async function fill(label: string, text: string): Promise<void> {
  await field(label).fill(text);
}

async function choose(label: string, option: string): Promise<void> {
  await field(label).click();
  if (await field(label).isEditable()) await fill(label, option);
  await page.getByRole('option', { name: option }).first().click();
}

async function fillCustomerForm(company: string, email: string): Promise<void> {
  await fill('Company', company);
  await fill('First name', 'Emmy');
  await fill('Last name', 'Noether');
  await fill('Email', email);
  await fill('Password', 'correct horse battery');
  await choose('Country', 'Germany');
  await choose('Currency', 'EUR');
}

test('a customer is created with an address, a telephone and a legal document, whose invalid number is rejected', async () => {
  await open('/customers');
  await press('New customer');
  await fillCustomerForm('Erlangen Academy', 'emmy@academy.example');
  await press('Create customer');
  await waitForCreated('Erlangen Academy');
  await page.getByRole('tab', { name: 'Addresses & documents' }).click();

  await press('Add address');
  await fill('City', 'Erlangen');
  await press('Add address', dialog());
  await expect.poll(async () => await field('Street and number').getAttribute('aria-invalid')).toBe('true');
  await fill('Street and number', 'Hauptstraße 23');
  await press('Add address', dialog());
  await page.getByRole('list', { name: 'Addresses' }).getByText('Hauptstraße 23').waitFor();

  await press('Add phone number');
  await fill('Number', '09131 850');
  await press('Add phone number', dialog());
  await page.getByRole('list', { name: 'Phone numbers' }).getByText('+499131850').waitFor();

  await press('Add legal document');
  await fill('Number', 'DE 000000000');
  await press('Add legal document', dialog());
  const number = field('Number');
  await expect.poll(async () => await number.getAttribute('aria-invalid')).toBe('true');
  await fill('Number', 'DE 136695976');
  await press('Add legal document', dialog());
  await page.getByRole('list', { name: 'Legal documents' }).getByText('DE136695976').waitFor();
});

test('a customer is subscribed after a preview of the dates and the price', async () => {
  await page.getByRole('tab', { name: 'Subscriptions' }).click();
  await press('New subscription');
  await choose('Package', 'Classroom');
  await fill('Name', 'Lessons');
  await dialog().getByText('€20.00 every month').waitFor();
  await dialog().getByText('Rooms: 2', { exact: true }).waitFor();
  await press('Create subscription');
  await waitForCreated('Lessons');
  await page.getByText('unless it is renewed').waitFor();
});

test('a package change shows a preview first, and appears in the history', async () => {
  await chooseAction('Change the package');
  await choose('New package', 'Whole school');
  await dialog().getByText('Upgrade', { exact: true }).waitFor();
  await dialog()
    .getByRole('row', { name: /Rooms.*40 rooms/ })
    .waitFor();
  await press('Change now');
  await page.getByText('The package is now Whole school.').waitFor();
  const history = page.getByRole('row', { name: /Classroom.*Whole school.*Upgrade.*Done/ });
  await history.waitFor();

  await chooseAction('Change the package');
  await choose('New package', 'Classroom');
  await dialog().getByText('Downgrade', { exact: true }).waitFor();
  await press('Schedule change');
  await page.getByText('A package change is scheduled').waitFor();
  await press('Withdraw');
  await press('Withdraw', dialog());
  await page.getByText('A package change is scheduled').waitFor({ state: 'detached' });
});

test('a renewal and a cancellation result in the dates that their previews showed', async () => {
  const id = pathname().split('/').at(-1) ?? '';
  const read = async () => (await foyer.admin.readSubscription({ params: { subscription_id: id } })).data;
  const before = await read();
  await press('Renew');
  const changes = dialog().getByRole('region', { name: 'Changes' });
  await changes.getByText('Ends').waitFor();
  const previewedDate = await changes.locator('time').last().getAttribute('datetime');
  expect(previewedDate).not.toBe(before.ends_at.slice(0, 10));
  await press('Renew', dialog());
  await dialog().waitFor({ state: 'detached' });
  expect((await read()).ends_at.slice(0, 10)).toBe(previewedDate);

  await chooseAction('Cancel subscription');
  await dialog().getByRole('region', { name: 'Changes' }).getByText('Canceled').waitFor();
  await press('Cancel subscription', dialog());
  await page.getByText('Canceled, usable until').waitFor();
  expect(await read()).toMatchObject({ status: 'canceled', ends_at: (await read()).cancels_at });
  await press('Renew');
  await dialog().getByLabel('Undo cancellation').uncheck();
  await dialog()
    .getByText('Possible now: “Renew and undo cancellation”, “Undo cancellation” or “Terminate”.')
    .waitFor();
  expect(await dialog().getByRole('button', { name: 'Renew' }).isDisabled()).toBe(true);
  await press('Cancel', dialog());
  await press('Undo cancellation');
  await press('Undo cancellation', dialog());
  await page.getByText('unless it is renewed').waitFor();
  expect(await read()).toMatchObject({ status: 'active', canceled_at: null });
});

test('a cancellation says that it withdraws the scheduled package change', async () => {
  const id = pathname().split('/').at(-1) ?? '';
  const params = { subscription_id: id };
  const [classroom] = (await foyer.admin.listServicePackages({ query: { search: 'name:Classroom' } })).data;
  await foyer.admin.changePackage({ params, body: { package_id: classroom?.id ?? '', when: 'period_end' } });
  await page.reload();
  await page.getByText('A package change is scheduled').waitFor();
  await chooseAction('Cancel subscription');
  await dialog()
    .getByText(/is withdrawn. Undoing the cancellation does not restore/)
    .waitFor();
  await press('Cancel', dialog());
  await foyer.admin.withdrawPackageChange({
    params: {
      ...params,
      package_change_id:
        (await foyer.admin.listPackageChanges({ params })).data.find((c) => c.status === 'scheduled')?.id ?? '',
    },
  });
});

test('a missing limit is shown as unlimited, also in the preview of a package change', async () => {
  const [school] = (await foyer.admin.listServicePackages({ query: { search: 'name:Whole school' } })).data;
  await open(`/service-packages/${school?.id}?tab=features`);
  await page.getByText('All features').click();
  await page.getByRole('row', { name: /^Participant minutes.*Unlimited/ }).waitFor();
  await page.getByRole('row', { name: /^Webcams.*Off/ }).waitFor();
  expect(await page.getByText('not included').count()).toBe(0);
});

test('an entered number is either parsed as it is or rejected, never changed', async () => {
  await press('Add Storage');
  await fill('Limit, in GB', '2.5');
  await press('Save', dialog());
  await dialog().getByText('Whole numbers only.').waitFor();
  expect(await field('Limit, in GB').inputValue()).toBe('2.5');
  await fill('Limit, in GB', '25');
  await press('Save', dialog());
  await page.getByText('The feature “Storage” has been saved.').waitFor();
  await page.getByRole('row', { name: /^Storage.*25 GB/ }).waitFor();
  await expect
    .poll(async () => await page.evaluate('document.activeElement.getAttribute("aria-label")'))
    .toBe('Actions for Storage');

  await press('Edit');
  await fill('Price', '1.234');
  await press('Save', dialog());
  await dialog()
    .getByText(/can be read in two ways/)
    .waitFor();
  await fill('Price', '1.234,50');
  await press('Save', dialog());
  await dialog().waitFor({ state: 'detached' });
  const [school] = (await foyer.admin.listServicePackages({ query: { search: 'name:Whole school' } })).data;
  expect(school?.price).toBe(1234.5);
  await foyer.admin.updateServicePackage({ params: { service_package_id: school?.id ?? '' }, body: { price: 100 } });
});

test('a package lists what it needs before it can be sold, and a duplicate has everything that the original has', async () => {
  const { data } = await foyer.admin.createServicePackage({
    body: { name: 'Bare', price: 1, currency: 'EUR', periodicity: 1, periodicity_type: 'month', status: 'active' },
  });
  await open(`/service-packages/${data.id}`);
  await page.getByText('No active provider is attached, so meetings can’t start.').waitFor();
  await page.getByText('The package allows no accounts or rooms, so customers can’t use it.').waitFor();
  await press('Switch on features');
  await page.getByRole('button', { name: /^Switch all \d+ on$/ }).click();
  await page.getByText(/Every switch is off/).waitFor({ state: 'detached' });
  createdPaths.push(pathname());

  const [classroom] = (await foyer.admin.listServicePackages({ query: { search: 'name:Classroom' } })).data;
  await open(`/service-packages/${classroom?.id}`);
  await chooseAction('Duplicate');
  await press('Create service package', dialog());
  await waitForCreated('Classroom (copy)');
  const id = pathname().split('/').at(-1) ?? '';
  const params = { service_package_id: id };
  const features = (await foyer.admin.listServicePackageFeatures({ params })).data;
  expect(Object.fromEntries(features.map(({ tag, value }) => [tag, value]))).toEqual({
    max_rooms: '2',
    max_accounts: '5',
  });
  expect((await foyer.admin.listServicePackageProviders({ params })).data).toMatchObject([
    { active: true, default: true },
  ]);
});

test('a live package names the limits that it needs, and is only offered providers of its service type', async () => {
  const terms = { price: 1, currency: 'EUR', periodicity: 1, periodicity_type: 'month', status: 'active' } as const;
  const { data } = await foyer.admin.createServicePackage({
    body: { name: 'Live broadcasts', service_type: 'live', ...terms },
  });
  await open(`/service-packages/${data.id}`);
  await page.getByText('allows no accounts, rooms, viewer minutes or stream minutes').waitFor();
  await page.getByRole('tab', { name: 'Providers' }).click();
  await page.getByRole('tabpanel').getByRole('button', { name: 'Add a provider' }).click();
  await page.getByText('No other service provider has the service type of the package.').waitFor();
});

test('the form of a new subscription shows whether it renews, like its package', async () => {
  const { data } = await foyer.admin.createServicePackage({
    body: {
      name: 'Renewing',
      price: 1,
      currency: 'EUR',
      periodicity: 1,
      periodicity_type: 'month',
      status: 'active',
      auto_renew: true,
    },
  });
  const [provider] = (await foyer.admin.listServiceProviders()).data;
  await foyer.admin.createServicePackageProvider({
    params: { service_package_id: data.id },
    body: { service_provider_id: provider?.id ?? '' },
  });
  await open(`/service-packages/${data.id}`);
  await expect
    .poll(async () => await page.locator('dt', { hasText: 'Renews automatically' }).locator('+ dd').textContent())
    .toBe('Yes');
  await open('/subscriptions');
  await press('New subscription');
  await choose('Customer', 'Erlangen Academy');
  await choose('Package', 'Renewing');
  await press('Terms');
  const renewal = dialog().getByRole('switch', { name: 'Renews automatically' });
  const renewalInPreview = dialog().locator('dt', { hasText: 'Renews automatically' }).locator('+ dd');
  await expect.poll(async () => await renewal.isChecked()).toBe(true);
  await expect.poll(async () => await renewalInPreview.textContent()).toBe('Yes');
  await renewal.click({ force: true });
  await expect.poll(async () => await renewalInPreview.textContent()).toBe('No');
  await press('Create subscription');
  await page.getByRole('heading', { level: 1, name: 'Renewing' }).waitFor();
  const [subscription] = (await foyer.admin.listSubscriptions({ query: { search: `package_id:${data.id}` } })).data;
  expect(subscription?.auto_renew).toBe(false);
});

test('subscriptions of one package are told apart by their names on the page of the customer', async () => {
  const [customer] = (await foyer.admin.listCustomers({ query: { search: 'company_name:Erlangen Academy' } })).data;
  const [classroom] = (await foyer.admin.listServicePackages({ query: { search: 'name:Classroom' } })).data;
  const body = {
    package_id: classroom?.id ?? '',
    subscriber_id: customer?.id ?? '',
    periodicity_type: 'year',
  } as const;
  const names = [];
  for (let count = 0; count < 2; count++) names.push((await foyer.admin.createSubscription({ body })).data.name);
  await open(`/customers/${customer?.id}`);
  for (const name of names) await page.getByRole('link', { name, exact: true }).waitFor();
});

test('a form with unsaved input asks for confirmation before it closes', async () => {
  await open('/customers');
  await press('New customer');
  await fill('First name', 'Hedy');
  await page.keyboard.press('Escape');
  await page.getByText('Discard your changes?').waitFor();
  await press('Keep editing');
  expect(await field('First name').inputValue()).toBe('Hedy');
  await press('Create customer');
  for (const name of ['Company', 'Last name', 'Country']) await dialog().getByText(`“${name}” is required.`).waitFor();
  await press('Cancel', dialog());
  await press('Discard');
  await dialog().first().waitFor({ state: 'detached' });
});

test('a reseller creates a customer and resells at most what is left of its own subscription', async () => {
  await open('/customers');
  await press('New customer');
  await fillCustomerForm('Göttingen Reselling', 'david@reselling.example');
  await dialog().getByRole('switch', { name: 'Reseller' }).click({ force: true });
  await press('Create customer');
  await page.getByRole('heading', { level: 1, name: 'Göttingen Reselling' }).waitFor();
  const resellerPath = pathname();
  const resellerId = resellerPath.split('/').at(-1) ?? '';
  const [school] = (await foyer.admin.listServicePackages({ query: { search: 'name:Whole school' } })).data;
  await foyer.admin.createSubscription({
    body: { package_id: school?.id ?? '', subscriber_id: resellerId, name: 'Stock of rooms' },
  });

  await page.getByRole('tab', { name: 'Customers below' }).click();
  await press('New customer');
  await fillCustomerForm('Village School', 'teacher@village.example');
  await press('Create customer');
  await waitForCreated('Village School');
  await page.getByRole('link', { name: 'Göttingen Reselling' }).waitFor();

  await page.getByRole('tab', { name: 'Subscriptions' }).click();
  await press('New subscription');
  // By default, it is resold from the reseller's subscription.
  await expect.poll(async () => await field('Resold from').inputValue()).toBe('Stock of rooms');
  await choose('Resold from', 'None: sold directly');
  await dialog().getByText('It is sold directly').waitFor();
  await choose('Resold from', 'Stock of rooms');
  await dialog().getByText('€100.00 every month').waitFor();
  await press('Custom values');
  await dialog().getByText('reseller: 40 rooms').waitFor();
  await fill('Name', 'Rooms for the village');
  await fill('Rooms', '41');
  await press('Create subscription');
  await expect.poll(async () => await field('Rooms').getAttribute('aria-invalid')).toBe('true');
  await fill('Rooms', '15');
  await press('Create subscription');
  await page.getByRole('heading', { level: 1, name: 'Rooms for the village' }).waitFor();
  await page.getByRole('link', { name: 'Stock of rooms' }).click();
  await page.getByRole('tab', { name: 'Features & usage' }).click();
  await page.getByText('0 used, 15 resold of 40 rooms').waitFor();
  createdPaths.push(`${pathname()}?tab=features`, `${resellerPath}?tab=below`);
});

test('the page of a customer shows its effective status and the resellers above it', async () => {
  const [reseller] = (await foyer.admin.listCustomers({ query: { search: 'company_name:Göttingen Reselling' } })).data;
  const [customerBelow] = (await foyer.admin.listCustomers({ query: { search: 'company_name:Village School' } })).data;
  await open(`/customers/${reseller?.id}`);
  await chooseAction('Delete customer');
  await dialog().getByText('Only a terminated customer can be deleted.').waitFor();
  await dialog().getByRole('button', { name: 'Terminate first…' }).waitFor();
  await press('Cancel', dialog());
  await chooseAction('Suspend');
  await dialog()
    .getByText(/Nothing new can be created for it/)
    .waitFor();
  await dialog().getByText('The same applies to every customer below it.').waitFor();
  await press('Suspend', dialog());
  await page.getByText('This customer is suspended').waitFor();
  await page.getByText('Held by the platform').waitFor();
  await page.getByRole('link', { name: 'Stock of rooms' }).click();
  await page.getByText('Customer suspended', { exact: true }).waitFor();
  await page.getByText(/Existing rooms and meetings keep working/).waitFor();
  await open(`/customers/${customerBelow?.id}`);
  await page.getByText('counts as suspended', { exact: true }).waitFor();
  await page.getByText(/because the reseller above it, Göttingen Reselling, is suspended/).waitFor();
});

test('reports are shown on screen and downloaded as CSV', async () => {
  await open('/reports?report=subscriptions');
  await page.getByRole('img', { name: /Active, 30 bars/ }).waitFor();
  await page.getByRole('button', { name: /^Monthly value/ }).click();
  await page.getByRole('img', { name: /Monthly value/ }).waitFor();
  const downloading = page.waitForEvent('download');
  await press('Download CSV');
  const file = await downloading;
  expect(file.suggestedFilename()).toMatch(/\.csv$/);
  const lines = (await readFile(await file.path(), 'utf8')).trim().split(/\r?\n/);
  expect(lines[0]).toContain('monthly_recurring_value');
  expect(lines.length).toBeGreaterThan(1);
  await page.getByText('Usage', { exact: true }).click();
  await page.getByText('Usage in the period in which it occurred.').waitFor();
});

test('the dashboard links to the subscriptions that end soon', async () => {
  await open('/');
  const panel = page.locator('section', { hasText: 'Subscriptions that end soon' });
  await panel.getByRole('combobox', { name: 'Within how many days' }).selectOption('90');
  await panel.getByRole('link', { name: 'Stock of rooms' }).waitFor();
  await panel.getByRole('link', { name: /list|All/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Subscriptions' }).waitFor();
  await page.getByRole('link', { name: 'Stock of rooms', exact: true }).waitFor();
  expect(page.url()).toContain('expiring_within');
});

test('the screens of customers, packages and subscriptions are accessible, on wide and narrow viewports', async () => {
  const [customerPath] = createdPaths;
  const paths = [
    ...createdPaths,
    `${customerPath}?tab=records`,
    '/reports',
    '/reports?report=subscriptions&by=month',
    '/service-packages',
  ];
  for (const path of new Set(paths)) {
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
