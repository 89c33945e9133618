import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityFaults } from './accessibility-faults.ts';
import { openBrowser } from './browser.ts';
import { type RunningFoyer, startFoyer } from './foyer.ts';
import { openSignedInPage } from './signed-in-page.ts';

let foyer: RunningFoyer;
let browser: Browser;
let page: Page;
let customerId: string;
/** Uncaught errors of the opened pages. */
const browserErrors: string[] = [];

beforeAll(async () => {
  [foyer, browser] = await Promise.all([startFoyer(), openBrowser()]);
  customerId = (await foyer.admin.listCustomers()).data[0]?.id ?? '';
  page = await openSignedInPage(browser, foyer, browserErrors);
});
afterAll(async () => {
  await browser.close();
  expect(await foyer.stop()).toBe(0);
  expect(browserErrors).toEqual([]);
});

const customerParams = () => ({ customer_id: customerId });

async function open(path: string): Promise<void> {
  await page.goto(`${foyer.url}/console${path}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
}

async function press(name: string | RegExp, within: Page | Locator = page): Promise<void> {
  await within.getByRole('button', { name, exact: typeof name === 'string' }).click();
}

async function choose(item: string): Promise<void> {
  await page.getByRole('menuitem', { name: item }).click();
}

/** The entity tag without its suffix for the content encoding. */
function withoutEncoding(etag: string | null | undefined): string | undefined {
  return etag?.replace(/~\w+"$/, '"');
}

/** The part of a form that shows what another person saved. */
function mergeNotice(): Locator {
  return page.getByRole('alert', { name: /Someone else saved changes/ });
}

test('if another person saved first, the form shows their changes field by field, and saves the chosen values', async () => {
  await open(`/customers/${customerId}`);
  await press('Edit');
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('textbox', { name: 'Company' }).fill('Mine Ltd');
  await drawer.getByLabel('First name').fill('Ada');
  const before = await foyer.admin.withEtag('readCustomer', { params: customerParams() });
  await foyer.admin.updateCustomer({
    params: customerParams(),
    body: { company_name: 'Theirs Ltd', last_name: 'Lovelace' },
  });
  const refused = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
  await press('Save', drawer);
  const answer = await refused;
  expect(answer.status()).toBe(412);
  expect(withoutEncoding(answer.request().headers()['if-match'])).toBe(withoutEncoding(before.etag));
  expect((await foyer.admin.readCustomer({ params: customerParams() })).data.company_name).toBe('Theirs Ltd');

  const company = mergeNotice().getByRole('radiogroup', { name: 'Company' });
  await mergeNotice().getByText('You both changed this. Before: Harbour Lights Ltd').waitFor();
  const surname = mergeNotice().getByRole('radiogroup', { name: 'Last name' });
  expect(await surname.getByRole('radio', { name: /Use theirs/ }).isChecked()).toBe(true);
  expect(await drawer.getByRole('textbox', { name: 'Last name' }).inputValue()).toBe('Lovelace');
  await press('Save', drawer);
  await mergeNotice().getByText('Choose a value.').waitFor();
  await company.getByRole('radio', { name: /Use theirs.*Theirs Ltd/ }).click();
  expect(await drawer.getByRole('textbox', { name: 'Company' }).inputValue()).toBe('Theirs Ltd');
  await company.getByRole('radio', { name: /Keep mine.*Mine Ltd/ }).click();
  await press('Save', drawer);
  await page.getByText('Saved.').waitFor();
  const { data } = await foyer.admin.readCustomer({ params: customerParams() });
  expect([data.company_name, data.first_name, data.last_name]).toEqual(['Mine Ltd', 'Ada', 'Lovelace']);
});

test('changes of fields that a form does not show cause no conflict and are kept', async () => {
  await open(`/customers/${customerId}`);
  await press('Edit');
  await page.getByRole('dialog').getByLabel('First name').fill('Grace');
  await foyer.admin.updateCustomer({ params: customerParams(), body: { status: 'suspended' } });
  await press('Save', page.getByRole('dialog'));
  await page.getByText('Saved.').waitFor();
  const { data } = await foyer.admin.readCustomer({ params: customerParams() });
  expect([data.first_name, data.status]).toEqual(['Grace', 'suspended']);
  await foyer.admin.updateCustomer({ params: customerParams(), body: { status: 'active' } });
});

test('concurrent edits of addresses, features, settings and the profile are merged in the same way', async () => {
  const { data: address } = await foyer.admin.createCustomerAddress({
    params: customerParams(),
    body: { address_type: 'PostalAddress', address_line1: 'Quay', city: 'Porto', country: 'PT' },
  });
  await open(`/customers/${customerId}`);
  await page.getByRole('tab', { name: 'Addresses & documents' }).click();
  await press(/^Actions for the postal address/);
  await choose('Change');
  await page.getByRole('dialog').getByLabel('City').fill('Lisbon');
  const addressParams = { ...customerParams(), address_id: address.id };
  await foyer.admin.updateCustomerAddress({ params: addressParams, body: { city: 'Faro' } });
  await press('Save', page.getByRole('dialog'));
  await mergeNotice()
    .getByRole('radio', { name: /Use theirs.*Faro/ })
    .click();
  await press('Save', page.getByRole('dialog'));
  await page.getByText('Saved.').waitFor();
  expect((await foyer.admin.readCustomerAddress({ params: addressParams })).data.city).toBe('Faro');

  const [servicePackage] = (await foyer.admin.listServicePackages()).data;
  const packageParams = { service_package_id: servicePackage?.id ?? '' };
  const rooms = (
    await foyer.admin.listServicePackageFeatures({ params: packageParams, query: { limit: 0 } })
  ).data.find(({ tag }) => tag === 'max_rooms');
  const feature = { ...packageParams, feature_id: rooms?.id ?? '' };
  await open(`/service-packages/${servicePackage?.id ?? ''}?tab=features`);
  await press(`Actions for ${rooms?.name ?? ''}`);
  await choose('Change');
  await page
    .getByRole('dialog')
    .getByLabel(/^Limit/)
    .fill('30');
  await foyer.admin.updateServicePackageFeature({ params: feature, body: { value: 40 } });
  await press('Save', page.getByRole('dialog'));
  await mergeNotice()
    .getByRole('radio', { name: /Keep mine.*30/ })
    .click();
  await press('Save', page.getByRole('dialog'));
  await page.getByText(/has been saved/).waitFor();
  expect((await foyer.admin.readServicePackageFeature({ params: feature })).data.value).toBe('30');

  await open('/settings');
  await page.getByLabel('Platform name').fill('Mine');
  await foyer.admin.updateSettings({ body: { platform_name: 'Theirs' } });
  await press('Save settings');
  await mergeNotice()
    .getByRole('radio', { name: /Keep mine/ })
    .click();
  await press('Save settings');
  await page.getByText('The settings have been saved.').waitFor();
  expect((await foyer.admin.readSettings()).data.platform_name).toBe('Mine');

  await open('/account');
  await page.getByLabel('First name').fill('Mine');
  await foyer.admin.updateCallingAdmin({ body: { last_name: 'Theirs' } });
  await press('Save profile');
  await mergeNotice().getByText('Only they changed this.').waitFor();
  await press('Save profile');
  await page.getByText('Your profile has been saved.').waitFor();
  expect((await foyer.admin.readCallingAdmin()).data.full_name).toBe('Mine Theirs');
});

test('if another person has changed the status, an action is not executed and the new status is shown', async () => {
  await open(`/customers/${customerId}`);
  await press('More actions');
  await choose('Suspend…');
  await page
    .getByRole('dialog')
    .getByText(/Nothing new/)
    .waitFor();
  await foyer.admin.updateCustomer({ params: customerParams(), body: { status: 'inactive' } });
  await press('Suspend', page.getByRole('dialog'));
  await page
    .getByRole('alert')
    .getByText(/Someone changed “Status” to “Inactive” while you had this open/)
    .waitFor();
  expect((await foyer.admin.readCustomer({ params: customerParams() })).data.status).toBe('inactive');
});

test('concurrent edits of room features are merged, and only the differences of permissions are saved', async () => {
  const [room] = (await foyer.admin.listRooms()).data;
  const params = { room_id: room?.id ?? '' };
  await open(`/rooms/${params.room_id}?tab=features`);
  await page.getByRole('textbox', { name: 'Participants per room in this room' }).fill('11');
  await foyer.admin.updateRoom({ params, body: { room_features: { max_participants: 22, recording: false } } });
  await press('Save features');
  await mergeNotice().getByText('You both changed this.').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await mergeNotice()
    .getByRole('radio', { name: /Keep mine.*11/ })
    .click();
  await press('Save features');
  await page.getByText('The features of the room have been saved.').waitFor();
  const { room_features } = (await foyer.admin.readRoom({ params })).data;
  expect(room_features).toEqual({ max_participants: 11, recording: false });

  const { data: role } = await foyer.admin.createRole({ body: { name: 'helpdesk', display_name: 'Helpdesk' } });
  const permissions = (await foyer.admin.listPermissions({ query: { limit: 0 } })).data;
  const idOf = (name: string) => permissions.find((permission) => permission.name === name)?.id ?? '';
  await open(`/roles/${role.id}`);
  await page.getByRole('checkbox', { name: 'Read rooms' }).check();
  await foyer.admin.attachPermissions({ body: { role_id: role.id, permissions_ids: [idOf('read-users')] } });
  await press('Save permissions');
  await page.getByText('The permissions have been saved and apply immediately.').waitFor();
  const read = await foyer.admin.readRole({ params: { role_id: role.id }, query: { include: 'permissions' } });
  const rolePermissions = (read.data as unknown as { permissions: { data: { name: string }[] } }).permissions.data;
  expect(rolePermissions.map(({ name }) => name)).toEqual(expect.arrayContaining(['read-rooms', 'read-users']));
});
