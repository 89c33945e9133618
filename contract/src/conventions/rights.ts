/** Rights in one room. */
export const roomRights = [
  'read-room',
  'update-room',
  'delete-room',
  'manage-tokens',
  'manage-access-codes',
  'manage-users',
  'moderate',
  'read-recordings',
  'manage-recordings',
  'manage-videos',
  'manage-stream',
  'manage-outputs',
] as const;

/** Rights in an account and all its rooms. */
export const accountRights = [
  'read-account',
  'update-account',
  'delete-account',
  'manage-account-users',
  'create-room',
  ...roomRights,
] as const;

/** Rights in a customer, the customers below it, and all their accounts and rooms. */
export const customerRights = [
  'read-customer',
  'update-customer',
  'manage-customer-users',
  'manage-webhooks',
  'read-subscriptions',
  'create-account',
  'create-customer',
  'delete-customer',
  'manage-subscriptions',
  ...accountRights,
] as const;

/**
 * A membership grants these rights only on the customers below its customer, because a customer cannot sell to itself.
 */
export const rightsBelow: ReadonlySet<string> = new Set<Right>(['delete-customer', 'manage-subscriptions']);

export type Right = (typeof customerRights)[number];

/** The resources that can have members. A membership also covers everything below its resource. */
export type MembershipLevel = 'customer' | 'account' | 'room';

export const rightsOfLevel: Readonly<Record<MembershipLevel, readonly Right[]>> = {
  customer: customerRights,
  account: accountRights,
  room: roomRights,
};

/** The read right that each other right requires. */
const requiredReadRights: Readonly<Partial<Record<Right, Right>>> = {
  'update-customer': 'read-customer',
  'manage-customer-users': 'read-customer',
  'manage-webhooks': 'read-customer',
  'read-subscriptions': 'read-customer',
  'create-account': 'read-customer',
  'create-customer': 'read-customer',
  'delete-customer': 'read-customer',
  'manage-subscriptions': 'read-subscriptions',
  'update-account': 'read-account',
  'delete-account': 'read-account',
  'manage-account-users': 'read-account',
  'create-room': 'read-account',
  'update-room': 'read-room',
  'delete-room': 'read-room',
  'manage-tokens': 'read-room',
  'manage-access-codes': 'read-room',
  'manage-users': 'read-room',
  moderate: 'read-room',
  'read-recordings': 'read-room',
  'manage-recordings': 'read-recordings',
  'manage-videos': 'read-room',
  'manage-stream': 'read-room',
  'manage-outputs': 'read-room',
};

/** The read right that a right requires; null for a read right. */
export function requiredRight(right: Right): Right | null {
  return requiredReadRights[right] ?? null;
}
