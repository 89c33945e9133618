import type { Client } from '@foyer/sdk';

let opened = 0;

export interface Tenant {
  readonly customerId: string;
  readonly accountId: string;
  /** Access token of the owner. */
  readonly email: string;
  readonly password: string;
}

/** Creates an account of a new customer. @returns its id. */
export async function openAccount(
  admin: Client,
  provider: string,
  features: Readonly<Record<string, string>>,
): Promise<string> {
  return (await openTenant(admin, provider, features)).accountId;
}

/** Creates a customer with an account and a subscription with the given provider and features. */
export async function openTenant(
  admin: Client,
  provider: string,
  features: Readonly<Record<string, string>>,
): Promise<Tenant> {
  opened += 1;
  const { data: sold } = await admin.createServicePackage({ body: { name: `Bench ${opened}` } });
  const params = { service_package_id: sold.id };
  for (const [tag, value] of Object.entries(features))
    await admin.createServicePackageFeature({ params, body: { tag, value } });
  await admin.createServicePackageProvider({ params, body: { service_provider_id: provider, default: true } });
  const [email, password] = [`bench-${opened}@example.com`, 'a long enough password'];
  const { data: customer } = await admin.createCustomer({
    body: {
      customer_type: 'personal',
      first_name: 'Bench',
      last_name: 'Mark',
      email,
      country: 'PT',
      currency: 'EUR',
      password,
    },
  });
  const { data: subscription } = await admin.createSubscription({
    body: { package_id: sold.id, subscriber_id: customer.id },
  });
  const { data: account } = await admin.createAccount({
    body: { account_name: 'Bench', subscription_id: subscription.id },
  });
  return { customerId: customer.id, accountId: account.id, email, password };
}
