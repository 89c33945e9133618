import type { startSandbox } from '@foyer/sandbox';
import type { Client } from '@foyer/sdk';
import { createHash } from 'node:crypto';
import { createTenantAccount } from './create-tenant.ts';

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

export interface BenchRoom {
  readonly id: string;
  readonly uuid: string;
}

/** Adds a provider on the sandbox. */
export async function addProvider(admin: Client, sandbox: Sandbox): Promise<{ id: string; uuid: string }> {
  const { data } = await admin.createServiceProvider({
    body: {
      provider_name: `Bench ${sandbox.url}`,
      provider_type: 'bigbluebutton',
      properties: { host_url: sandbox.apiUrl, secret: sandbox.secret },
    },
  });
  return { id: data.id, uuid: data.uuid };
}

/** Adds a customer with an account whose limit of minutes is never reached. @returns the id of the account */
export async function addAccount(admin: Client, providerId: string): Promise<string> {
  return await createTenantAccount(admin, providerId, {
    max_accounts: 'unlimited',
    max_rooms: 'unlimited',
    participant_minutes: '1000000000',
  });
}

export async function addRoom(admin: Client, accountId: string, name: string): Promise<BenchRoom> {
  const { data } = await admin.createRoom({ body: { room_name: name, account_id: accountId } });
  return { id: data.id, uuid: data.uuid };
}

/** Signs a URL of the sandbox's API. */
export function signUrl(
  { apiUrl, secret }: Sandbox,
  call: string,
  parameters: Readonly<Record<string, string>>,
): string {
  const query = new URLSearchParams(parameters).toString();
  const checksum = createHash('sha256').update(`${call}${query}${secret}`).digest('hex');
  return `${apiUrl}/${call}?${query}&checksum=${checksum}`;
}
