import { type NotificationKind, notificationKinds } from '@foyer/contract/resources/platform/notification.ts';

/** The platform's settings with their defaults; the module `settings` stores changed values. */
export interface Settings {
  readonly default_page_size: number;
  readonly system_locale: string;
  readonly system_timezone: string;
  readonly access_token_seconds: number;
  readonly refresh_token_seconds: number;
  readonly authorization_code_seconds: number;
  readonly personal_token_days: number;
  /** Administrators without a second factor may only set one up. */
  readonly require_two_factor: boolean;
  readonly provider_timeout_ms: number;
  readonly suspension_meeting_grace_minutes: number;
  /** After they left; 0: never. */
  readonly participant_names_days: number;
  readonly event_retention_days: number;
  readonly meeting_webhooks: boolean;
  /** How long the links to a recording can be used. */
  readonly playback_link_minutes: number;
  /** Also loopback without TLS. */
  readonly webhooks_allow_private_addresses: boolean;
  readonly media_allow_private_addresses: boolean;
  /** The rate limit of one principal. */
  readonly requests_per_minute: number;
  /** The rate limit of one address, for requests without a principal. */
  readonly anonymous_requests_per_minute: number;
  /** The rate limit of one address and name, at logins and token endpoints. */
  readonly logins_per_minute: number;
  readonly public_url: string | null;
  readonly platform_name: string;
  readonly logo_url: string | null;
  readonly primary_color: string;
  readonly support_url: string | null;
  /** Which notifications are mailed. */
  readonly notifications: Readonly<Record<NotificationKind, boolean>>;
}

export const defaultSettings: Settings = {
  default_page_size: 10,
  system_locale: 'en',
  system_timezone: 'UTC',
  access_token_seconds: 3600,
  refresh_token_seconds: 30 * 86_400,
  authorization_code_seconds: 600,
  personal_token_days: 180,
  require_two_factor: false,
  provider_timeout_ms: 5000,
  suspension_meeting_grace_minutes: 15,
  participant_names_days: 30,
  event_retention_days: 90,
  meeting_webhooks: true,
  playback_link_minutes: 240,
  webhooks_allow_private_addresses: false,
  media_allow_private_addresses: false,
  requests_per_minute: 600,
  anonymous_requests_per_minute: 60,
  logins_per_minute: 10,
  public_url: null,
  platform_name: 'Foyer',
  logo_url: null,
  primary_color: '#2f5fd0',
  support_url: null,
  notifications: Object.fromEntries(notificationKinds.map((kind) => [kind, true])) as Settings['notifications'],
};
