import { counted } from './counted.ts';
import { providerTypes } from '@foyer/contract/resources/providers/provider-types.ts';

/** `trial_ends_at` reads as "Trial ends", `package_id` as "Package". */
export function labelOf(name: string): string {
  const label = labels[name];
  if (label !== undefined) return label;
  const words = name
    .replace(/_(id|at)$/, '')
    .split('_')
    .join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A stored word as people read it: `PRESENTATION_FOCUS` as "Presentation focus". */
export function wordOf(value: string): string {
  const word = words[value];
  if (word !== undefined) return word;
  const text = value.replaceAll('_', ' ');
  const isShouted = text === text.toUpperCase();
  return text.charAt(0).toUpperCase() + (isShouted ? text.slice(1).toLowerCase() : text.slice(1));
}

/** A part of a name as people read it: `service-packages` as "Service packages", `oauth-clients` as "OAuth clients". */
export function phraseOf(name: string): string {
  const phrase = phrases[name];
  if (phrase !== undefined) return phrase;
  const text = name.replaceAll(/[-_]/g, ' ').replace(/^oauth\b/, 'OAuth');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Prepares a phrase for use within a sentence: "Rooms" becomes "rooms", "OAuth clients" stays. */
export function lowered(phrase: string): string {
  return /^[A-Z][a-z]/.test(phrase) ? phrase.charAt(0).toLowerCase() + phrase.slice(1) : phrase;
}

/** Descriptions of stored values that need explanation. */
export function explain(value: string): string | null {
  return meanings[value] ?? null;
}

/** The text after "every": "month", "3 months". */
export function intervalText(count: number, interval: string): string {
  return count === 1 ? interval : counted(count, interval);
}

/** The label of the button for an action on a resource. */
export function moveLabel(move: string): string {
  return moves[move] ?? phraseOf(move);
}

/** "renew, cancel or change the package". */
export function listOf(phrases: readonly string[], conjunction = 'or'): string {
  const last = phrases.at(-1) ?? '';
  return phrases.length < 2 ? last : `${phrases.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}

const moves: Readonly<Record<string, string>> = {
  renew: 'Renew',
  uncancel: 'Renew and undo cancellation',
  'take-back': 'Undo cancellation',
  cancel: 'Cancel',
  'change-package': 'Change the package',
  'set-active': 'Set active',
  'set-inactive': 'Set inactive',
  'set-suspended': 'Suspend',
  'set-terminated': 'Terminate',
  delete: 'Delete',
};

const labels: Readonly<Record<string, string>> = {
  id: 'Id',
  from: 'From',
  to: 'Until',
  uuid: 'UUID',
  ulid: 'ULID',
  url: 'Address',
  logo_url: 'Logo address',
  public_url: 'Public address',
  support_url: 'Support address',
  logout_url: 'Address after the meeting',
  presentation_url: 'Presentation address',
  logo: 'Logo address',
  hero_image: 'Hero image address',
  featured_image: 'Featured image address',
  is_public: 'Public',
  sort_order: 'Position',
  video_metadata: 'Metadata',
  output_metadata: 'Metadata',
  is_active: 'Active',
  has_stock: 'Limited stock',
  auto_renew: 'Renews automatically',
  stock_qty: 'Left in stock',
  signup_fee: 'Sign-up fee',
  subscriber_id: 'Customer',
  service_provider_id: 'Service provider',
  package_provider_id: 'Provider of the package',
  service_feature_code: 'Feature',
  external_id: 'External id',
  provider_name: 'Name',
  provider_type: 'Provider type',
  service_type: 'Service type',
  room_name: 'Name',
  account_name: 'Name',
  created_at: 'Created',
  updated_at: 'Last changed',
  last_usage: 'Last used',
  expires_at: 'Expires',
  periodicity: 'Billed every',
  periodicity_type: 'Billing interval',
  timezone: 'Time zone',
  locale: 'Language',
  company_name: 'Company',
  participant_minutes: 'Minutes',
  storage_bytes: 'Storage',
  monthly_recurring_value: 'Monthly value',
  trialing: 'On trial',
  expiring: 'Ending soon',
  is_reseller: 'Reseller',
  parent_customer_id: 'Reseller above',
  parent_subscription_id: 'Resold from',
  effective_status: 'Effective status',
  held_by_platform: 'Held by the platform',
  features: 'Custom values',
  address_type: 'Kind',
  address_line1: 'Street and number',
  address_line2: 'Address line 2',
  po_box: 'PO box',
  postal_code: 'Postal code',
  telephone_type: 'Kind',
  telephone_extension: 'Extension',
  issued_at: 'Issued on',
  full_name: 'Name',
  default_page_size: 'Rows per page',
  system_locale: 'Language',
  system_timezone: 'Time zone',
  access_token_seconds: 'Access token lifetime',
  refresh_token_seconds: 'Refresh token lifetime',
  authorization_code_seconds: 'Authorization code lifetime',
  personal_token_days: 'Personal token lifetime',
  provider_timeout_ms: 'Provider time-out',
  suspension_meeting_grace_minutes: 'Grace period for running meetings',
  participant_names_days: 'Keep names of participants',
  meeting_webhooks: 'Providers report joins and leaves immediately',
  playback_link_minutes: 'Lifetime of recording links',
  requests_per_minute: 'Requests per minute per caller',
  anonymous_requests_per_minute: 'Requests per minute per address',
  logins_per_minute: 'Logins per minute per address and name',
  end_when_no_moderator_timeout: 'Minutes without a moderator',
  allowed_domains_origins: 'Allowed origins',
  allowed_domains_registration: 'Allowed email domains',
  email_verified_at: 'Email verified',
  has_email_verified: 'Email is verified',
  secret_hash: 'Secret',
  password_hash: 'Password',
  token_hash: 'Token',
  username: 'User name',
  display_name: 'Display name',
  roles_ids: 'Roles',
  redirect_uris: 'Redirect addresses',
  first_party: 'First-party',
  population: 'Who signs in',
  require_two_factor: 'Administrators need a second factor',
  webhooks_allow_private_addresses: 'Webhooks to private addresses',
  media_allow_private_addresses: 'Streams to and from private addresses',
  occurred_at: 'When',
  actor_type: 'Kind of actor',
  actor_id: 'Actor',
  actor_name: 'Who',
  action: 'What happened',
  resource_type: 'Kind of resource',
  resource_id: 'Resource',
  client_name: 'Through',
  client_id: 'OAuth client',
  request_id: 'Request',
  last_used_at: 'Last used',
  user_agent: 'Browser or program',
  anyone_can_start: 'Anyone can start the meeting',
  auto_start_recording: 'Start recording automatically',
  allow_start_stop_recording: 'Moderators can start and stop recording',
  notify_recording_is_on: 'Tell participants about the recording',
  webcams_only_for_moderator: 'Only moderators see webcams',
  mute_on_start: 'Muted on joining',
  allow_mods_to_unmute_users: 'Moderators can unmute participants',
  allow_mods_to_eject_cameras: 'Moderators can close webcams',
  disable_cam: 'Disable participants’ webcams',
  disable_mic: 'Disable participants’ microphones',
  disable_private_chat: 'Disable private chat',
  disable_public_chat: 'Disable public chat',
  disable_notes: 'Disable shared notes',
  external_videos: 'External videos',
  hide_user_list: 'Hide participants from each other in the list',
  hide_viewers_cursor: 'Hide participants’ cursors from each other',
  end_when_no_moderator: 'End when the last moderator leaves',
  camera_as_content: 'A camera can be the presentation',
  user_camera_cap: 'Webcams per participant',
  meeting_camera_cap: 'Webcams per meeting',
  moderator_only_message: 'Message to moderators',
  meeting_layout: 'Layout',
  recordings_for: 'Who may watch recordings',
  participant_count: 'Participants now',
  size_bytes: 'Size',
  provider_meeting_id: 'Id on the provider',
  provider_recording_id: 'Id on the provider',
  last_played_at: 'Last watched',
  last_delivery_at: 'Last delivered',
  last_error: 'Error',
  duration_minutes: 'Duration',
};

const words: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    providerTypes.flatMap(({ name, aliases = [], displayName }) =>
      [name, ...aliases].map((alias) => [alias, displayName]),
    ),
  ),
  meet: 'Web meeting',
  video: 'Video on demand',
  live: 'Live broadcast',
  simulcast: 'Simulcast',
  'awaiting-upload': 'Not uploaded',
  PostalAddress: 'Postal address',
  BillingAddress: 'Billing address',
  eu_vat: 'VAT number (EU, UK)',
  br_cpf: 'CPF (Brazil)',
  br_cnpj: 'CNPJ (Brazil)',
  lateral: 'Same level',
  outside: 'Before the first period',
  inside: 'Within the first period',
  always_accept: 'Admit everyone',
  always_deny: 'Reject guests',
  ask_moderator: 'Ask a moderator',
  open: 'Running',
  unpublished: 'Not published',
  processed: 'Ready to publish',
  participants: 'People with a room token',
  everyone: 'Anyone with the room’s address',
  moderators: 'Moderators only',
  admin: 'Administrator',
  admins: 'Administrators',
  client: 'OAuth client',
  system: 'The platform',
  visitor: 'Visitor',
  authorization_code: 'Authorization code',
  client_credentials: 'Client credentials',
  password: 'Password',
  refresh_token: 'Refresh token',
  subscription_expiring: 'Subscription ends soon',
  limit_near: '80% of a limit used',
  room_invitation: 'Invitation to a room',
  provider_down: 'Service provider down',
  provider_up: 'Service provider up again',
  new_device: 'Sign-in from a new device',
};

const meanings: Readonly<Record<string, string>> = {
  authorization_code: 'Users sign in here, give consent, and return to the program. With PKCE.',
  client_credentials: 'The program acts for itself. For confidential clients of administrators.',
  password: 'The program asks for the user name and password itself. For first-party clients.',
  refresh_token: 'The program renews its tokens without a new sign-in.',
};

const phrases: Readonly<Record<string, string>> = {
  admins: 'Administrators',
  'admins-access': 'Roles of administrators',
  permissions: 'Permissions of roles',
  'service-packages-features': 'Features of packages',
  'service-packages-providers': 'Providers of packages',
  'subscriptions-features': 'Features of subscriptions',
  'subscriptions-providers': 'Providers of subscriptions',
  'rooms-tokens': 'Tokens of rooms',
  'rooms-access-codes': 'Access codes of rooms',
  'rooms-users': 'Users of rooms',
};
