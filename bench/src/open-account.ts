import type { Client } from '@foyer/sdk';

let opened = 0;

/** An account of a customer of its own, to which a package with that provider and those features was sold. @returns its id. */
export async function openAccount(
  admin: Client,
  provider: string,
  features: Readonly<Record<string, string>>,
): Promise<string> {
  opened += 1;
  const { data: sold } = await admin.createServicePackage({ body: { name: `Bench ${opened}` } });
  const params = { service_package_id: sold.id };
  for (const [tag, value] of Object.entries(features))
    await admin.createServicePackageFeature({ params, body: { tag, value } });
  await admin.createServicePackageProvider({ params, body: { service_provider_id: provider, default: true } });
  const { data: customer } = await admin.createCustomer({
    body: {
      customer_type: 'personal',
      first_name: 'Bench',
      last_name: 'Mark',
      email: `bench-${opened}@example.com`,
      country: 'PT',
      currency: 'EUR',
      password: 'a long enough password',
    },
  });
  const { data: subscription } = await admin.createSubscription({
    body: { package_id: sold.id, subscriber_id: customer.id },
  });
  const { data: account } = await admin.createAccount({
    body: { account_name: 'Bench', subscription_id: subscription.id },
  });
  return account.id;
}
