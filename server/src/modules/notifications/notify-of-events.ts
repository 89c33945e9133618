import { features, isCumulative } from '@foyer/contract/resources/packages/features.ts';
import type { NotificationKind } from '@foyer/contract/resources/platform/notification.ts';
import type { Selectable } from 'kysely';
import type { Events } from '../../database/tables.ts';
import type { Change } from '../../events/change.ts';
import type { ReactionSubjects } from '../../events/reaction-subjects.ts';
import { rememberDevices } from './known-devices.ts';
import { cancelInvitations } from './room-invitations/cancel-invitations.ts';
import { addNotifications, findUsageWindows, type NewNotification, type NotificationDetails } from './store.ts';

type EventRow = Selectable<Events>;

interface NotificationOfEvent {
  readonly kind: NotificationKind;
  /** Selects the part of the event's data that the mail needs. */
  readonly selectDetails: (data: EventData, occurredAt: string) => NotificationDetails;
  /** Distinguishes causes of the same resource; null: each event is a cause. */
  readonly causeOf?: (data: EventData) => string;
}

type EventData = Readonly<Record<string, string | number | boolean | null | undefined>>;

const subscriptionDetails = ({ name = '', ends_at: endsAt = null, package_id: packageId = null }: EventData) => ({
  subscription: name,
  endsAt,
  packageId,
});
const providerDetails = ({ provider_name: name = '', id = null }: EventData, since: string) => ({
  provider: name,
  id,
  since,
});

const notificationsByEvent: Readonly<Record<string, NotificationOfEvent>> = {
  'subscription.expiring': {
    kind: 'subscription_expiring',
    selectDetails: subscriptionDetails,
    causeOf: ({ ends_at: endsAt, days_left: days }) => `${endsAt}:${days}`,
  },
  'subscription.renewed': { kind: 'subscription_renewed', selectDetails: subscriptionDetails },
  'subscription.suspended': { kind: 'subscription_suspended', selectDetails: subscriptionDetails },
  'subscription.package_changed': { kind: 'package_changed', selectDetails: subscriptionDetails },
  'recording.ready': {
    kind: 'recording_ready',
    selectDetails: ({ room_id: roomId = null, started_at: startedAt = null }) => ({ roomId, startedAt }),
  },
  'video.ready': {
    kind: 'video_ready',
    selectDetails: ({ room_id: roomId = null, name: video = '' }) => ({ roomId, video }),
    // A retried video becomes ready again.
    causeOf: () => 'ready',
  },
  'webhook.disabled': {
    kind: 'webhook_disabled',
    selectDetails: ({ url = '', disabled_reason: reason = '' }) => ({ url, reason }),
  },
  'service_provider.down': { kind: 'provider_down', selectDetails: providerDetails },
  'service_provider.up': { kind: 'provider_up', selectDetails: providerDetails },
};

/** Stores the notifications of published events. The mails are composed later, outside of this transaction. */
export async function notifyOfEvents(change: Change, { events }: ReactionSubjects['events.published']): Promise<void> {
  const limitEvents = events.filter(({ name }) => name === 'subscription.limit_reached');
  await addNotifications(change, [
    ...events.flatMap(notificationOf),
    ...(await notificationsOfReachedLimits(change, limitEvents)),
    ...(await rememberDevices(change, events)),
  ]);
  await cancelInvitations(change, events);
}

function notificationOf(event: EventRow): NewNotification[] {
  const definition = notificationsByEvent[event.name];
  if (!definition) return [];
  const data = event.data as EventData;
  const { kind } = definition;
  const cause = definition.causeOf ? `${kind}:${event.resource_id}:${definition.causeOf(data)}` : `${kind}:${event.id}`;
  return [{ cause, kind, customerId: event.customer_id, details: definition.selectDetails(data, event.occurred_at) }];
}

interface LimitReached {
  readonly feature: { readonly tag: string; readonly limit: string; readonly used: number };
}

async function notificationsOfReachedLimits(change: Change, events: readonly EventRow[]): Promise<NewNotification[]> {
  return await notificationsOfLimits(
    change,
    events.map((event) => {
      const { tag, limit, used } = (event.data as unknown as LimitReached).feature;
      return { subscriptionId: event.resource_id, tag, limit, used };
    }),
  );
}

/** Notifies of a limit that has just been used up, before an action is rejected because of it. */
export async function notifyOfUsedUpLimit(change: Change, usedUp: ReactionSubjects['limit.used-up']): Promise<void> {
  await addNotifications(change, await notificationsOfLimits(change, [usedUp]));
}

/** One notification for each feature and window of usage. */
async function notificationsOfLimits(
  { tx }: Change,
  limits: readonly ReactionSubjects['limit.used-up'][],
): Promise<NewNotification[]> {
  const windows = await findUsageWindows(tx, limits);
  return limits.flatMap(({ subscriptionId, tag, limit, used }) => {
    const window = windows.get(`${subscriptionId}:${tag}`);
    if (!window || !countedTags.has(tag)) return [];
    return [
      {
        cause: `limit_reached:${subscriptionId}:${tag}:${window.end}`,
        kind: 'limit_reached' as const,
        customerId: window.customer_id,
        details: { subscription: window.subscription, feature: window.name, used, limit: Number(limit) },
      },
    ];
  });
}

/** Other features limit a number at the same time, such as participants. Reaching it does not use it up. */
const countedTags: ReadonlySet<string> = new Set(features.filter(isCumulative).map(({ code }) => code));
