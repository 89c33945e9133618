import type { EndpointName } from '@foyer/contract';
import type { MembershipLevel, Right } from '@foyer/contract/conventions/rights.ts';
import type { Noun, Row } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';

/** The levels of memberships, with the endpoints of their members. */
export interface Level {
  readonly name: MembershipLevel;
  readonly noun: Noun;
  readonly list: EndpointName;
  readonly read: EndpointName;
  readonly create: EndpointName;
  readonly update: EndpointName;
  readonly remove: EndpointName;
}

export const levels: Readonly<Record<MembershipLevel, Level>> = {
  customer: {
    name: 'customer',
    noun: nouns.customers,
    list: 'listCustomerUsers',
    read: 'readCustomerUser',
    create: 'createCustomerUser',
    update: 'updateCustomerUser',
    remove: 'deleteCustomerUser',
  },
  account: {
    name: 'account',
    noun: nouns.accounts,
    list: 'listAccountUsers',
    read: 'readAccountUser',
    create: 'createAccountUser',
    update: 'updateAccountUser',
    remove: 'deleteAccountUser',
  },
  room: {
    name: 'room',
    noun: nouns.rooms,
    list: 'listRoomUsers',
    read: 'readRoomUser',
    create: 'createRoomUser',
    update: 'updateRoomUser',
    remove: 'deleteRoomUser',
  },
};

/** A user in a customer, an account or a room. */
export type Membership = Row & {
  readonly user_id: string;
  readonly full_name: string;
  readonly email: string;
  readonly status: string;
  readonly owner: boolean;
  readonly permissions: readonly Right[];
};

/** The customer, account or room that memberships belong to. */
export interface MembershipScope {
  readonly level: Level;
  readonly id: string;
  readonly name: string;
  /** The customer itself, or the customer of the account or room. Invitations are created below it. */
  readonly customerId: string;
}

export function scopeOf(level: Level, row: Row): MembershipScope {
  const customerId = { customer: row.id, account: row.subscriber_id, room: row.customer_id }[level.name];
  return { level, id: row.id, name: level.noun.titleOf(row), customerId: String(customerId) };
}
