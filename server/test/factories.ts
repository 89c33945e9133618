import { type Sandbox, startSandbox } from '@foyer/sandbox';
import { FoyerError } from '@foyer/sdk';
import { expect } from 'vitest';
import type { TestApi } from './api.ts';

/** The default features of a test package. */
export const soldFeatures: Readonly<Record<string, string>> = {
  max_accounts: '10',
  max_rooms: '25',
  max_participants: '50',
  guest_access: 'true',
  recording: 'true',
};

let count = 0;

/** A name that is unique in the test file. */
export function unique(word: string): string {
  count += 1;
  return `${word}-${count}`;
}

export async function makeProvider({ admin }: TestApi, target: { apiUrl: string; secret: string } | null = null) {
  const { data } = await admin.createServiceProvider({
    body: {
      provider_name: unique('Provider'),
      provider_type: 'bigbluebutton',
      properties: {
        host_url: target?.apiUrl ?? 'http://127.0.0.1:9/bigbluebutton/api',
        secret: target?.secret ?? 'no-server-there',
      },
    },
  });
  return data;
}

export async function makePackage(
  api: TestApi,
  options: { provider?: string; features?: Readonly<Record<string, string>>; body?: Record<string, unknown> } = {},
) {
  const { admin } = api;
  const provider = options.provider ?? (await makeProvider(api)).id;
  const { data } = await admin.createServicePackage({ body: { name: unique('Package'), ...options.body } });
  for (const [tag, value] of Object.entries(options.features ?? soldFeatures)) {
    await admin.createServicePackageFeature({ params: { service_package_id: data.id }, body: { tag, value } });
  }
  await admin.createServicePackageProvider({
    params: { service_package_id: data.id },
    body: { service_provider_id: provider, default: true },
  });
  return data;
}

export async function makeCustomer({ admin }: TestApi, body: Record<string, unknown> = {}) {
  const { data } = await admin.createCustomer({
    body: {
      customer_type: 'personal',
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: `${unique('ada')}@example.com`,
      country: 'GB',
      currency: 'GBP',
      password: 'difference engine no. 2',
      ...body,
    },
  });
  return data;
}

/** A customer with its own package, a subscription and an account. */
export async function makeAccount(api: TestApi, options: Parameters<typeof makePackage>[1] = {}) {
  const servicePackage = await makePackage(api, options);
  const customer = await makeCustomer(api);
  const { data: subscription } = await api.admin.createSubscription({
    body: { package_id: servicePackage.id, subscriber_id: customer.id },
  });
  const { data: account } = await api.admin.createAccount({
    body: { account_name: unique('Account'), subscription_id: subscription.id },
  });
  return { servicePackage, customer, subscription, account };
}

/** The resources of `makeAccount`, and a room in the account. */
export async function makeRoom(
  api: TestApi,
  options: Parameters<typeof makePackage>[1] & { room?: Record<string, unknown> } = {},
) {
  const fixture = await makeAccount(api, options);
  const { data: room } = await api.admin.createRoom({
    body: { room_name: unique('Room'), account_id: fixture.account.id, ...options.room },
  });
  return { ...fixture, room };
}

export async function openSandbox(): Promise<Sandbox> {
  return await startSandbox({ port: 0 });
}

/** Returns the error with which the call is rejected. */
export async function refusalOf(call: Promise<unknown>): Promise<FoyerError> {
  const outcome = await call.then(
    () => null,
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(FoyerError);
  return outcome as FoyerError;
}
