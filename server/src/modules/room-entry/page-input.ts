import { type EntryRefusal, entryRefusals } from '@foyer/contract/resources/room-entry.ts';

/**
 * One line, without control characters and without those that turn the direction of what follows; `''` where nothing
 * could be seen of it.
 */
export function cleanName(text: string): string {
  const name = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replaceAll(/[\u202A-\u202E\u2066-\u2069]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();
  // Fillers and the blank of Braille count as letters and symbols.
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(name.replaceAll(/[\p{Default_Ignorable_Code_Point}\u2800]/gu, '')) ? name : '';
}

export function isEntryRefusal(code: string): code is EntryRefusal {
  return (entryRefusals as readonly string[]).includes(code);
}

/** Whether trying the same again soon would lead to the same. */
export function isLasting(code: EntryRefusal): boolean {
  return !passing.has(code);
}

/** Whether the room may well be open, only not for what was shown. */
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
