import type { Client } from '@foyer/sdk';

let tenantCount = 0;

export interface Tenant {
  readonly customerId: string;
  readonly accountId: string;
  /** Email and password of the owner. */
  readonly email: string;
  readonly password: string;
}

/** Creates a customer with an account. @returns the id of the account. */
export async function createTenantAccount(
  admin: Client,
  provider: string,
  features: Readonly<Record<string, string>>,
): Promise<string> {
  return (await createTenant(admin, provider, features)).accountId;
}

/** Creates a customer with an account and a subscription with the given provider and features. */
export async function createTenant(
  admin: Client,
  provider: string,
  features: Readonly<Record<string, string>>,
): Promise<Tenant> {
  tenantCount += 1;
  const { data: servicePackage } = await admin.createServicePackage({ body: { name: `Bench ${tenantCount}` } });
  const params = { service_package_id: servicePackage.id };
  for (const [tag, value] of Object.entries(features))
    await admin.createServicePackageFeature({ params, body: { tag, value } });
  await admin.createServicePackageProvider({ params, body: { service_provider_id: provider, default: true } });
  const [email, password] = [`bench-${tenantCount}@example.com`, 'a long enough password'];
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
    body: { package_id: servicePackage.id, subscriber_id: customer.id },
  });
  const { data: account } = await admin.createAccount({
    body: { account_name: 'Bench', subscription_id: subscription.id },
  });
  return { customerId: customer.id, accountId: account.id, email, password };
}
