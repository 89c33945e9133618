import { type MembershipLevel, requiredRight, type Right, rightsOfLevel } from '@foyer/contract/conventions/rights.ts';

export interface RightGroup {
  readonly level: MembershipLevel;
  readonly title: string;
  readonly rights: readonly Right[];
}

/** The rights of a membership level, grouped by the level that they apply to. */
export function rightGroups(level: MembershipLevel): RightGroup[] {
  const order: readonly MembershipLevel[] = ['customer', 'account', 'room'];
  const coveredLevels = order.slice(order.indexOf(level));
  return coveredLevels.map((covered, index) => ({
    level: covered,
    title: index === 0 ? `In the ${covered}` : `In every ${covered} of this ${level}`,
    rights: rightsOfLevel[covered].filter(
      (right) => !order.slice(order.indexOf(covered) + 1).some((lower) => isRightOf(right, lower)),
    ),
  }));
}

/** The rights that are preselected for a new membership. */
export const defaultRights: Readonly<Record<MembershipLevel, readonly Right[]>> = {
  customer: ['read-customer', 'read-account', 'read-room'],
  account: ['read-account', 'read-room'],
  room: ['read-room'],
};

/** Adds a right and the rights that it requires, in contract order. */
export function withRight(level: MembershipLevel, rights: readonly Right[], right: Right): Right[] {
  const needed = requirementsOf(right);
  return rightsOfLevel[level].filter(
    (candidate) => rights.includes(candidate) || candidate === right || needed.includes(candidate),
  );
}

/** Removes a right and the rights that require it. */
export function withoutRight(rights: readonly Right[], right: Right): Right[] {
  return rights.filter((other) => other !== right && !requirementsOf(other).includes(right));
}

/** The label of a right below a title such as "In the customer", for example "manage people". */
export function rightWord(right: Right): string {
  return rightWords[right] ?? right.replaceAll('-', ' ');
}

/** A summary by subject: "Rooms: see, moderate". */
export function summaryOf(level: MembershipLevel, granted: readonly Right[]): { label: string; words: string }[] {
  return rightGroups(level).flatMap(({ level: groupLevel, rights }) => {
    const grantedRights = rights.filter((right) => granted.includes(right));
    if (grantedRights.length === 0) return [];
    const label =
      groupLevel === level
        ? { customer: 'Customer', account: 'Account', room: 'Room' }[groupLevel]
        : labels[groupLevel];
    return [
      { label, words: grantedRights.length === rights.length ? 'everything' : grantedRights.map(rightWord).join(', ') },
    ];
  });
}

const labels: Readonly<Record<MembershipLevel, string>> = { customer: 'Customers', account: 'Accounts', room: 'Rooms' };

function requirementsOf(right: Right): Right[] {
  const required = requiredRight(right);
  return required === null ? [] : [required, ...requirementsOf(required)];
}

function isRightOf(right: Right, level: MembershipLevel): boolean {
  return rightsOfLevel[level].includes(right);
}

/** Labels for rights whose name is not clear enough after the name of the resource. */
const rightWords: Readonly<Record<string, string>> = {
  'read-customer': 'see',
  'update-customer': 'change',
  'delete-customer': 'delete customers below',
  'create-customer': 'create customers below',
  'manage-customer-users': 'manage people',
  'manage-webhooks': 'manage webhooks',
  'read-subscriptions': 'see subscriptions',
  'manage-subscriptions': 'manage subscriptions of customers below',
  'create-account': 'create accounts',
  'read-account': 'see',
  'update-account': 'change',
  'delete-account': 'delete',
  'manage-account-users': 'manage people',
  'create-room': 'create rooms',
  'read-room': 'see',
  'update-room': 'change',
  'delete-room': 'delete',
  'manage-tokens': 'manage tokens',
  'manage-access-codes': 'manage access codes',
  'manage-users': 'manage people',
  moderate: 'moderate meetings',
  'read-recordings': 'see recordings',
  'manage-recordings': 'change and delete recordings',
  'manage-videos': 'upload, change and delete videos',
  'manage-stream': 'broadcast, and see the stream key',
  'manage-outputs': 'manage outputs to other platforms',
};
