import type { NotificationKind } from '@foyer/contract/resources/platform/notification.ts';

export type Switches = Partial<Record<NotificationKind, boolean>>;

type Settings = Readonly<Record<string, unknown>>;

/** The notification switches of a person. They are on by default. */
export function switchesIn(settings: unknown, kinds: readonly NotificationKind[]): Switches {
  const stored = asSettings(asSettings(settings)['notifications']);
  return Object.fromEntries(kinds.map((kind) => [kind, stored[kind] !== false]));
}

/** The settings of a person with changed switches. Settings are replaced as a whole. */
export function settingsWith(settings: unknown, changed: Switches): Record<string, unknown> {
  const previous = asSettings(settings);
  return { ...previous, notifications: { ...asSettings(previous['notifications']), ...changed } };
}

/** The API returns empty settings of an administrator as `[]`. */
function asSettings(value: unknown): Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Settings) : {};
}
