import { Account } from '@foyer/contract/resources/account.ts';
import { Admin } from '@foyer/contract/resources/admin.ts';
import { AuditEntry } from '@foyer/contract/resources/audit.ts';
import { Customer } from '@foyer/contract/resources/customer.ts';
import { Meeting } from '@foyer/contract/resources/meeting.ts';
import { OauthClient } from '@foyer/contract/resources/oauth-client.ts';
import { Recording } from '@foyer/contract/resources/recording.ts';
import { Role } from '@foyer/contract/resources/role.ts';
import { Room } from '@foyer/contract/resources/room.ts';
import { ServicePackage } from '@foyer/contract/resources/service-package.ts';
import { ServiceProvider } from '@foyer/contract/resources/service-provider.ts';
import { Subscription } from '@foyer/contract/resources/subscription.ts';
import { User } from '@foyer/contract/resources/user.ts';
import type { Resource } from '@foyer/contract/conventions/resource.ts';
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
