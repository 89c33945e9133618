import { endpoint, enveloped, holders } from '../../conventions/endpoint.ts';
import {
  allOptional,
  boolean,
  derived,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  text,
} from '../../conventions/field.ts';
import { notificationChanges, notificationSwitches } from './notification.ts';

/** The platform's settings. Unknown settings are rejected. */
export const settingSchemas = {
  default_page_size: integer(1, 1000),
  system_locale: text(35, { format: 'locale' }),
  system_timezone: text(64, { format: 'time-zone' }),
  access_token_seconds: integer(60, 86_400),
  refresh_token_seconds: integer(3600, 31_536_000),
  authorization_code_seconds: integer(30, 600),
  personal_token_days: integer(1, 730),
  require_two_factor: boolean(),
  provider_timeout_ms: integer(100, 60_000),
  suspension_meeting_grace_minutes: integer(0, 10_080),
  participant_names_days: {
    ...integer(0, 3650),
    description: 'Days for which names of participants are kept after they left. With 0 they are not stored at all.',
  },
  event_retention_days: { ...integer(1, 3650), description: 'Days for which events are kept.' },
  meeting_webhooks: boolean(
    'Whether providers that support webhooks report joins and leaves immediately. Otherwise the platform asks them once a minute.',
  ),
  playback_link_minutes: integer(5, 10_080),
  webhooks_allow_private_addresses: boolean(
    'Whether webhooks can use private, loopback and link-local addresses, and loopback without TLS.',
  ),
  media_allow_private_addresses: boolean(
    'Whether outputs and sources of streams can use private, loopback and link-local addresses. When it changes to false, running ones with such addresses are disconnected within seconds; the others connect again once.',
  ),
  requests_per_minute: integer(1, 1_000_000),
  anonymous_requests_per_minute: integer(1, 1_000_000),
  logins_per_minute: integer(1, 1_000_000),
  public_url: nullable(text(2048, { format: 'http-url' })),
  platform_name: text(100, { minLength: 1 }),
  logo_url: nullable(text(2048, { format: 'http-url' })),
  primary_color: text(7, { format: 'color' }),
  support_url: nullable(text(2048, { format: 'http-url' })),
  notifications: derived({ ...notificationSwitches, description: 'Which notifications are mailed.' }),
};

const { notifications: _, ...values } = settingSchemas;

const body = {
  ...allOptional(values),
  notifications: optional({
    ...notificationChanges,
    description: 'Which notifications are mailed. Those that you leave out stay unchanged.',
  }),
};

const answer = enveloped(object({ object: derived(oneOf(['Settings'])), ...settingSchemas }));

export const settingEndpoints = {
  readSettings: endpoint({
    method: 'GET',
    path: '/settings',
    tag: 'Settings',
    summary: 'Read the settings of the platform',
    access: holders('read-settings'),
    answer,
  }),
  updateSettings: endpoint({
    method: 'PATCH',
    path: '/settings',
    tag: 'Settings',
    summary: 'Change settings of the platform',
    access: holders('update-settings'),
    body: object(body),
    answer,
  }),
};
