import { type EntryRefusal, entryRefusals } from '@foyer/contract/resources/rooms/room-entry.ts';

export function isEntryRefusal(code: string): code is EntryRefusal {
  return (entryRefusals as readonly string[]).includes(code);
}

/** Whether trying again soon has the same result. */
export function isPermanentRefusal(code: EntryRefusal): boolean {
  return !passing.has(code);
}

/** Whether the room may be open, but not for these credentials. */
export function isAboutInvitation(code: EntryRefusal): boolean {
  return code === 'guest-access-off' || code.startsWith('token-');
}

const passing: ReadonlySet<EntryRefusal> = new Set<EntryRefusal>([
  'token-not-yet-valid',
  'room-inactive',
  'customer-not-usable',
  'account-not-usable',
  'no-usable-provider',
  'meeting-not-accepted',
  'concurrent-meetings-reached',
  'concurrent-participants-reached',
  'room-full',
]);
