import { Account } from '@foyer/contract/account.ts';
import { Admin } from '@foyer/contract/admin.ts';
import { AuditEntry } from '@foyer/contract/audit.ts';
import { Customer } from '@foyer/contract/customer.ts';
import { Meeting } from '@foyer/contract/meeting.ts';
import { OauthClient } from '@foyer/contract/oauth-client.ts';
import { Recording } from '@foyer/contract/recording.ts';
import { Role } from '@foyer/contract/role.ts';
import { Room } from '@foyer/contract/room.ts';
import { ServicePackage } from '@foyer/contract/service-package.ts';
import { ServiceProvider } from '@foyer/contract/service-provider.ts';
import { Subscription } from '@foyer/contract/subscription.ts';
import { User } from '@foyer/contract/user.ts';
import type { Resource } from '@foyer/contract/resource.ts';
import type { Noun } from './noun.ts';

const resources: readonly Resource[] = [
  Account,
  Admin,
  AuditEntry,
  Customer,
  Meeting,
  OauthClient,
  Recording,
  Role,
  Room,
  ServicePackage,
  ServiceProvider,
  Subscription,
  User,
];

/** The contract's declaration of a noun. It is kept apart from the nouns, so that the first view does without schemas. */
export function resourceOf(noun: Noun): Resource {
  const found = resources.find(({ object }) => object === noun.resource.object);
  if (!found) throw new Error(`The contract has no resource ${noun.resource.object}`);
  return found;
}
