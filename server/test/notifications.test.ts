import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { notificationKinds } from '@foyer/contract/resources/platform/notification.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runJob } from '../src/modules.ts';
import { newUuid, parseAnyIdentifier } from '../src/platform/identity/identifier.ts';
import { publishAll } from '../src/modules/events/index.ts';
import { startApi, type TestApi } from './api.ts';
import { makeAccount, makePackage, makeProvider, makeRoom, refusalOf, unique } from './factories.ts';
import { firstAdmin } from './first-admin.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import { emitEvent, headerOf, newMails, onlyMail, sendNotifications } from './notifications.ts';

let server: MailServer;
let api: TestApi;

beforeAll(async () => {
  server = await startMailServer();
  api = await startApi({ mail: { smtpUrl: server.url, from: null, silenceMs: 2000 } });
});
afterAll(async () => {
  await api.close();
  await server.close();
});
beforeEach(async () => {
  await newMails(api, server);
});
afterEach(async () => {
  const allKinds = Object.fromEntries(notificationKinds.map((kind) => [kind, true]));
  await api.admin.updateSettings({ body: { notifications: allKinds } });
});

const uuidOf = (id: string) => parseAnyIdentifier(id)?.uuid ?? '';

const password = 'difference engine no. 2';

describe('mails about a subscription go to the owner of the customer', () => {
  test('when it was renewed', async () => {
    const { subscription, customer } = await makeAccount(api);
    const params = { subscription_id: subscription.id };
    await newMails(api, server);
    const { data } = await api.admin.renewSubscription({ params, body: { renew: true } });
    const mail = await onlyMail(api, server);
    expect(mail).toMatchObject({ to: customer.email, subject: `${subscription.name} was renewed` });
    expect(mail.text).toContain(`The subscription ${subscription.name} of Ada Lovelace was renewed.`);
    expect(mail.text).toContain(
      new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(data.ends_at)),
    );
    expect(mail.html).toContain(subscription.name);
  });

  test('when it was suspended, also by a request', async () => {
    const { subscription, customer } = await makeAccount(api);
    await newMails(api, server);
    await api.admin.updateSubscription({
      params: { subscription_id: subscription.id },
      body: { status: 'suspended', description: 'Not paid' },
    });
    const { data: events } = await api.admin.listEvents({ query: { search: `resource_id:${subscription.id}` } });
    expect(events[0]).toMatchObject({
      name: 'subscription.suspended',
      data: { status: 'suspended', description: 'Not paid' },
      previous: { status: 'active', is_usable: true, description: null },
    });
    expect(events).toHaveLength(2);
    expect(await onlyMail(api, server)).toMatchObject({
      to: customer.email,
      subject: `${subscription.name} is suspended`,
    });
  });

  test('when its package changed, with the name of the new package', async () => {
    const { subscription, customer, servicePackage } = await makeAccount(api);
    const { data: providers } = await api.admin.listServicePackageProviders({
      params: { service_package_id: servicePackage.id },
    });
    const newPackage = await makePackage(api, { provider: providers[0]?.service_provider_id ?? '' });
    await newMails(api, server);
    await api.admin.changePackage({
      params: { subscription_id: subscription.id },
      body: { package_id: newPackage.id },
    });
    const mail = await onlyMail(api, server);
    expect(mail.to).toBe(customer.email);
    expect(mail.text).toContain(`now uses the package ${newPackage.name}`);
  });

  test('when it ends soon, once for each number of days, also if the event is emitted twice', async () => {
    const { subscription, customer } = await makeAccount(api);
    await newMails(api, server);
    const announce = (days: number) =>
      emitEvent(api, {
        name: 'subscription.expiring',
        resource: { type: 'ServicePackageSubscription', id: uuidOf(subscription.id) },
        customerId: uuidOf(customer.id),
        details: { days_left: days },
      });
    for (const days of [14, 14, 3, 3, 1]) await announce(days);
    const mails = await newMails(api, server);
    expect(mails.map(({ to }) => to)).toEqual([customer.email, customer.email, customer.email]);
    expect(mails[0]?.subject).toMatch(new RegExp(`^${subscription.name} ends on `));
    await announce(1);
    expect(await newMails(api, server)).toEqual([]);
  });

  test('when 80 % and 100 % of a limit are used, each once', async () => {
    const { account, customer } = await makeAccount(api, { features: { max_accounts: '10', max_rooms: '10' } });
    const add = async (count: number) => {
      for (let index = 0; index < count; index++)
        await api.admin.createRoom({ body: { room_name: unique('Room'), account_id: account.id } });
    };
    await add(7);
    await runJob(api.app.dependencies, 'find-near-limits');
    await newMails(api, server);
    await add(1);
    for (const _ of [1, 2]) await runJob(api.app.dependencies, 'find-near-limits');
    const nearMail = await onlyMail(api, server);
    expect(nearMail.to).toBe(customer.email);
    expect(nearMail.subject).toMatch(/: 80% used$/);
    expect(nearMail.text).toContain('8 of 10 are used');
    await add(2);
    await refusalOf(add(1));
    await refusalOf(add(1));
    await runJob(api.app.dependencies, 'find-near-limits');
    const fullMail = await onlyMail(api, server);
    expect(fullMail.subject).toMatch(/: limit reached$/);
    expect(fullMail.text).toContain('10 of 10 are used');
  });
});

test('a ready recording is mailed to the owner of the room with a link to the room', async () => {
  const { room, customer } = await makeRoom(api);
  await newMails(api, server);
  await emitEvent(api, {
    name: 'recording.ready',
    resource: { type: 'Meeting', id: uuidOf(room.id) },
    customerId: uuidOf(customer.id),
    after: { room_id: room.id, started_at: '2026-03-10T11:00:00.000000Z' },
  });
  const mail = await onlyMail(api, server);
  expect(mail).toMatchObject({ to: customer.email, subject: `The recording of ${room.room_name} is ready` });
  expect(mail.link).toBe(room.url);
});

test('a ready video is mailed once to the owner of the room with a link to the room', async () => {
  const { room, customer } = await makeRoom(api);
  await newMails(api, server);
  const announce = (video: string) =>
    emitEvent(api, {
      name: 'video.ready',
      resource: { type: 'Video', id: video },
      customerId: uuidOf(customer.id),
      after: { room_id: room.id, name: 'Analytical Engine' },
    });
  const [video, secondVideo] = [newUuid(), newUuid()];
  await announce(video);
  const mail = await onlyMail(api, server);
  expect(mail).toMatchObject({ to: customer.email, subject: 'Analytical Engine is ready', link: room.url });
  expect(mail.text).toContain(`The video Analytical Engine in ${room.room_name} can be watched now.`);
  await announce(video);
  expect(await newMails(api, server)).toEqual([]);
  await api.admin.updateSettings({ body: { notifications: { video_ready: false } } });
  await announce(secondVideo);
  expect(await newMails(api, server)).toEqual([]);
});

test('outages and recoveries of a provider are mailed only to administrators who can read the provider', async () => {
  const { data: readerRole } = await api.admin.createRole({ body: { name: unique('reads') } });
  const { data: permissions } = await api.admin.listPermissions({ query: { limit: 0 } });
  const permissionIds = permissions.filter(({ name }) => name === 'read-service-providers').map(({ id }) => id);
  await api.admin.attachPermissions({ body: { role_id: readerRole.id, permissions_ids: permissionIds } });
  const { data: otherRole } = await api.admin.createRole({ body: { name: unique('other') } });
  const createAdmin = async (roleId: string) =>
    (
      await api.admin.createAdmin({
        body: {
          username: unique('admin'),
          email: `${unique('admin')}@example.com`,
          first_name: 'Grace',
          last_name: 'Hopper',
          password: 'compilers of the navy',
          roles_ids: [roleId],
        },
      })
    ).data.email;
  const reader = await createAdmin(readerRole.id);
  await createAdmin(otherRole.id);
  const unreachableServer = createServer((_request, response) => void response.destroy());
  await new Promise<void>((resolve) => unreachableServer.listen(0, '127.0.0.1', resolve));
  const { port } = unreachableServer.address() as AddressInfo;
  const provider = await makeProvider(api, { apiUrl: `http://127.0.0.1:${port}/bigbluebutton/api`, secret: 'x' });
  await newMails(api, server);
  const announce = (name: 'service_provider.down' | 'service_provider.up') =>
    emitEvent(api, {
      name,
      resource: { type: 'ServiceProvider', id: uuidOf(provider.id) },
    });
  await announce('service_provider.down');
  const downMails = await newMails(api, server);
  expect(downMails.map(({ to }) => to).toSorted()).toEqual([firstAdmin.email, reader].toSorted());
  expect(downMails[0]?.subject).toBe(`${provider.provider_name} does not respond`);
  expect(downMails[0]?.link).toContain(`/console/service-providers/${provider.id}`);
  await announce('service_provider.up');
  expect((await newMails(api, server)).map(({ subject }) => subject)).toEqual([
    `${provider.provider_name} responds again`,
    `${provider.provider_name} responds again`,
  ]);
  await new Promise((resolve) => unreachableServer.close(resolve));
});

test('a sign-in from a new device is mailed, but not the first sign-in and later ones from the same device', async () => {
  const { customer } = await makeAccount(api);
  await newMails(api, server);
  const signIn = async (browser: string) => {
    api.clock.advance({ ms: 1000 });
    const response = await fetch(`${api.url}/api/v1/oauth/proxy/users/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': browser },
      body: JSON.stringify({ username: customer.email, password }),
    });
    expect(response.status).toBe(200);
  };
  await signIn('Firefox/120.0 (X11; Linux)');
  await signIn('Firefox/121.0 (X11; Linux)');
  expect(await newMails(api, server)).toEqual([]);
  await signIn('Safari/17.1 (Macintosh)');
  const mail = await onlyMail(api, server);
  expect(mail).toMatchObject({ to: customer.email, subject: 'New sign-in to Foyer' });
  expect(mail.text).toContain('Safari/17.1 (Macintosh)');
  await signIn('Safari/17.2 (Macintosh)');
  expect(await newMails(api, server)).toEqual([]);
});

test('a sign-in at a room page from a new device is mailed', async () => {
  const { customer, room } = await makeRoom(api);
  await newMails(api, server);
  const signIn = async (browser: string) => {
    api.clock.advance({ ms: 1000 });
    const response = await fetch(`${room.url}/sign-in`, {
      method: 'POST',
      headers: { 'user-agent': browser },
      body: new URLSearchParams({ email: customer.email ?? '', password }),
      redirect: 'manual',
    });
    expect(response.status).toBe(303);
  };
  await signIn('Firefox/120.0 (X11; Linux)');
  expect(await newMails(api, server)).toEqual([]);
  await signIn('Safari/17.1 (Macintosh)');
  const mail = await onlyMail(api, server);
  expect(mail).toMatchObject({ to: customer.email, subject: 'New sign-in to Foyer' });
  expect(mail.text).toContain('Safari/17.1 (Macintosh)');
  await signIn('Safari/17.2 (Macintosh)');
  expect(await newMails(api, server)).toEqual([]);
});

test('a disabled webhook is mailed to the owner of its customer', async () => {
  const { customer } = await makeAccount(api);
  await newMails(api, server);
  await emitEvent(api, {
    name: 'webhook.disabled',
    resource: { type: 'Webhook', id: uuidOf(customer.id) },
    customerId: uuidOf(customer.id),
    after: { url: 'https://example.org/hook', disabled_reason: 'It failed for 3 days.' },
  });
  const mail = await onlyMail(api, server);
  expect(mail.to).toBe(customer.email);
  expect(mail.text).toContain('Events are no longer sent to https://example.org/hook. Reason: It failed for 3 days.');
});

test.each([
  ['de', 'wurde verlängert'],
  ['fr', 'a été renouvelé'],
  ['es', 'Se ha renovado'],
  ['pt', 'foi renovada'],
  ['pt-BR', 'foi renovada'],
  ['en', 'was renewed'],
])('mails are in the language of the recipient: %s', async (locale, words) => {
  const { subscription, customer } = await makeAccount(api);
  const user = api.clientWith(
    (await api.anyone.loginUser({ body: { username: customer.email, password } })).access_token,
  );
  await user.updateCallingUser({ body: { locale } });
  await newMails(api, server);
  await api.admin.renewSubscription({ params: { subscription_id: subscription.id }, body: { renew: true } });
  const mail = await onlyMail(api, server);
  expect(mail.subject).toContain(words);
  expect(mail.html).toContain(`lang="${locale}"`);
});

test("mails have the customer's branding", async () => {
  const { subscription, customer } = await makeAccount(api);
  await api.admin.updateCustomer({
    params: { customer_id: customer.id },
    body: { customer_settings: { brand_name: 'Acme Meetings', primary_color: '#aa3311' } },
  });
  await newMails(api, server);
  await api.admin.renewSubscription({ params: { subscription_id: subscription.id }, body: { renew: true } });
  const mail = await onlyMail(api, server);
  expect(mail.html).toContain('Acme Meetings');
  expect(mail.html).toContain('#aa3311');
  expect(mail.text).toContain('-- \nAcme Meetings');
});

describe('no mail is sent', () => {
  test('of a kind that the platform switched off', async () => {
    const { subscription } = await makeAccount(api);
    await newMails(api, server);
    const { data } = await api.admin.updateSettings({ body: { notifications: { subscription_renewed: false } } });
    expect(data.notifications).toMatchObject({ subscription_renewed: false, subscription_suspended: true });
    await api.admin.renewSubscription({ params: { subscription_id: subscription.id }, body: { renew: true } });
    expect(await newMails(api, server)).toEqual([]);
    expect((await api.admin.readSettings()).data.notifications).toMatchObject({ subscription_renewed: false });
  });

  test('that the recipient switched off in their settings', async () => {
    const { subscription, customer } = await makeAccount(api);
    const user = api.clientWith(
      (await api.anyone.loginUser({ body: { username: customer.email, password } })).access_token,
    );
    await user.updateCallingUser({ body: { user_settings: { notifications: { subscription_renewed: false } } } });
    await newMails(api, server);
    await api.admin.renewSubscription({ params: { subscription_id: subscription.id }, body: { renew: true } });
    expect(await newMails(api, server)).toEqual([]);
  });

  test('about an event that happened more than two days ago', async () => {
    const { subscription } = await makeAccount(api);
    await newMails(api, server);
    await api.admin.renewSubscription({ params: { subscription_id: subscription.id }, body: { renew: true } });
    await publishAll(api.app.dependencies);
    api.clock.advance({ hours: 49 });
    expect(await newMails(api, server)).toEqual([]);
  });
});

test.each([
  ['an unknown kind', { notifications: { everything: false } }, 'notifications.everything'],
  ['a switch that is not a boolean', { notifications: { limit_near: 'no' } }, 'notifications.limit_near'],
  ['a list', { notifications: ['limit_near'] }, 'notifications'],
])('notification settings with %s are rejected with an error for the member', async (_case, settings, member) => {
  const { customer } = await makeAccount(api);
  const user = api.clientWith(
    (await api.anyone.loginUser({ body: { username: customer.email, password } })).access_token,
  );
  const asUser = await refusalOf(user.updateCallingUser({ body: { user_settings: settings } }));
  expect([asUser.status, Object.keys(asUser.errors)]).toEqual([422, [`user_settings.${member}`]]);
  const asAdmin = await refusalOf(api.admin.updateCallingAdmin({ body: { admin_settings: settings } }));
  expect([asAdmin.status, Object.keys(asAdmin.errors)]).toEqual([422, [`admin_settings.${member}`]]);
  const asPlatform = await refusalOf(api.admin.updateSettings({ body: settings as never }));
  expect([asPlatform.status, Object.keys(asPlatform.errors)]).toEqual([422, [member]]);
});

test('two workers that publish, compose and send at the same time send one mail for each cause', async () => {
  const otherProcess = await api.another();
  const accounts = await Promise.all(Array.from({ length: 6 }, () => makeAccount(api)));
  await newMails(api, server);
  for (const { subscription } of accounts)
    await api.admin.renewSubscription({ params: { subscription_id: subscription.id }, body: { renew: true } });
  await Promise.all([
    sendNotifications(api),
    sendNotifications(otherProcess),
    sendNotifications(api),
    sendNotifications(otherProcess),
  ]);
  await sendNotifications(api);
  expect(server.mails.map(({ to }) => to).toSorted()).toEqual(
    accounts.map(({ customer }) => customer.email).toSorted(),
  );
  await otherProcess.close();
});

describe('unsubscribing', () => {
  async function createRenewedSubscription() {
    const fixture = await makeAccount(api);
    const renew = () =>
      api.admin.renewSubscription({ params: { subscription_id: fixture.subscription.id }, body: { renew: true } });
    await newMails(api, server);
    await renew();
    const mail = await onlyMail(api, server);
    const [, url = ''] = /^<(.*)>$/.exec(headerOf(mail, 'list-unsubscribe') ?? '') ?? [];
    return { ...fixture, renew, mail, url };
  }

  test.each([
    ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
    ],
  ])('a POST to the link of the header unsubscribes at once (RFC 8058): %s', async (type, body) => {
    const { mail, url, renew, customer } = await createRenewedSubscription();
    expect(headerOf(mail, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    expect(mail.text).toContain(url);
    expect(mail.html).toContain(`href="${url}"`);
    for (const _ of [1, 2]) {
      const response = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('You have unsubscribed');
    }
    await renew();
    expect(await newMails(api, server)).toEqual([]);
    const user = api.clientWith(
      (await api.anyone.loginUser({ body: { username: customer.email, password } })).access_token,
    );
    expect((await user.readCallingUser()).data.user_settings).toEqual({
      notifications: { subscription_renewed: false },
    });
  });

  test('a GET shows a button and changes nothing', async () => {
    const { url, renew } = await createRenewedSubscription();
    for (const method of ['GET', 'HEAD']) expect((await fetch(url, { method })).status).toBe(200);
    const page = await (await fetch(url, { headers: { 'accept-language': 'de' } })).text();
    expect(page).toContain('<form method="post"');
    expect(page).toContain('Abbestellen');
    await renew();
    expect(await newMails(api, server)).toHaveLength(1);
  });

  test('a forged or changed link changes nothing and returns a 404', async () => {
    const { url, renew } = await createRenewedSubscription();
    const forged = [url.slice(0, -1) + (url.endsWith('A') ? 'B' : 'A'), url.replace('.user.', '.admin.'), `${url}x`];
    for (const wrong of [...forged, url.replace('subscription_renewed', 'limit_near')])
      for (const method of ['GET', 'POST']) {
        const response = await fetch(wrong, { method });
        expect([wrong, method, response.status]).toEqual([wrong, method, 404]);
      }
    await renew();
    expect(await newMails(api, server)).toHaveLength(1);
  });

  test('other kinds of mails are still sent', async () => {
    const { url, subscription, customer } = await createRenewedSubscription();
    await fetch(url, { method: 'POST' });
    await emitEvent(api, {
      name: 'subscription.suspended',
      resource: { type: 'ServicePackageSubscription', id: uuidOf(subscription.id) },
      customerId: uuidOf(customer.id),
    });
    expect(await newMails(api, server)).toHaveLength(1);
  });
});
