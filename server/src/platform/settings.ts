import { notificationKinds } from '@foyer/contract/resources/platform/notification.ts';
import type { settingSchemas } from '@foyer/contract/resources/platform/setting.ts';
import type { Static, TObject } from 'typebox';

/** The platform's settings with their defaults; the module `settings` stores changed values. */
export type Settings = Readonly<Static<TObject<typeof settingSchemas>>>;

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
