import type { TBoolean, Type } from 'typebox';
import { boolean, object, optional } from '../../conventions/field.ts';

/** The notification mails. The platform and the recipient can switch each of them off. */
const descriptions = {
  subscription_expiring: 'To the owner of the customer: a subscription ends in 14, 3 or 1 days.',
  subscription_renewed: 'To the owner of the customer: a subscription was renewed.',
  subscription_suspended: 'To the owner of the customer: a subscription was suspended.',
  package_changed: 'To the owner of the customer: a subscription was changed to another package.',
  limit_near: 'To the owner of the customer: 80% of a limit is used.',
  limit_reached: 'To the owner of the customer: a limit is reached.',
  recording_ready: 'To the owner of the room, or else of the customer: a recording can be watched.',
  video_ready: 'To the owner of the room, or else of the customer: a video can be watched.',
  room_invitation: 'To everyone who is invited to a room by mail.',
  webhook_disabled:
    'To the owner of the customer, or to the administrators who can read webhooks: a webhook was disabled.',
  provider_down: 'To the administrators who can read service providers: one does not respond.',
  provider_up: 'To the administrators who can read service providers: one responds again.',
  new_device: 'To administrators and users: someone signed in to their account from a new device.',
} as const;

export type NotificationKind = keyof typeof descriptions;
export const notificationKinds = Object.keys(descriptions) as readonly NotificationKind[];

type Switches = Record<NotificationKind, TBoolean>;

const switches = Object.fromEntries(
  Object.entries(descriptions).map(([kind, description]) => [kind, boolean(description)]),
) as Switches;

/** All switches, for responses. */
export const notificationSwitches = object(switches);

/** The switches to change, for requests. */
export const notificationChanges = object(
  Object.fromEntries(Object.entries(switches).map(([kind, schema]) => [kind, optional(schema)])) as {
    [Kind in NotificationKind]: ReturnType<typeof Type.Optional<TBoolean>>;
  },
  { additionalProperties: false },
);
