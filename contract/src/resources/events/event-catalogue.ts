const crud = (noun: string, article = 'A') =>
  ({
    created: `${article} ${noun} was created.`,
    updated: `${article} ${noun} was changed.`,
    deleted: `${article} ${noun} was deleted.`,
  }) as const;

const signIns = (noun: string, article = 'A') =>
  ({
    logged_in: `${article} ${noun} signed in.`,
    sessions_ended: `All sessions and tokens of ${article.toLowerCase()} ${noun} were ended.`,
    sign_ins_throttled: `Sign-ins of ${article.toLowerCase()} ${noun} are refused for some minutes after too many wrong passwords.`,
    password_reset_requested: `A link to reset the password of ${article.toLowerCase()} ${noun} was requested.`,
    password_reset: `${article} ${noun} chose a new password with a mailed link.`,
    escalation_refused: `A request was refused because it would have given ${article.toLowerCase()} ${noun} rights that the caller does not hold.`,
  }) as const;

/** Every event: `<resource>.<what happened>`, by its noun, with a sentence for the reference. */
export const eventCatalogue = {
  account: { ...crud('account', 'An'), owner_changed: 'An account has another owner.' },
  account_user: crud('membership in an account'),
  address: crud('postal address of a customer'),
  admin: {
    ...crud('administrator', 'An'),
    ...signIns('administrator', 'An'),
    roles_changed: 'An administrator has other roles.',
    two_factor_begun: 'An administrator began to set up a second factor.',
    two_factor_enabled: 'An administrator signs in with a second factor from now on.',
    two_factor_disabled: 'An administrator signs in without a second factor from now on.',
    two_factor_reset: 'The second factor of an administrator was removed by another one.',
    recovery_code_used: 'An administrator signed in with a recovery code.',
    recovery_codes_renewed: 'An administrator has new recovery codes.',
  },
  customer: { ...crud('customer'), owner_changed: 'A customer has another owner.' },
  customer_user: crud('membership in a customer'),
  invitation: {
    created: 'A person was invited.',
    sent_again: 'An invitation was sent again, with a new link.',
    accepted: 'An invitation was accepted.',
    withdrawn: 'An invitation was withdrawn.',
  },
  keys: { rotated: 'The encryption keys of the installation were rotated.' },
  legal_document: crud('legal document of a customer'),
  meeting: {
    started: 'A meeting started.',
    ended: 'A meeting ended.',
    resumed: 'A meeting that was recorded as ended is running again.',
    attendance_recorded: 'The attendance of an ended meeting was corrected from the record of its provider.',
    end_reason_recorded: 'The reason why a meeting ended became known.',
  },
  oauth_client: {
    ...crud('OAuth client', 'An'),
    secret_rotated: 'An OAuth client has a new secret.',
    authorized: 'An administrator or a user allowed an OAuth client to act on their behalf.',
    escalation_refused:
      'A request was refused because it would have given an OAuth client scopes that the caller does not hold.',
  },
  oauth_token: {
    created: 'A session began.',
    deleted: 'A session ended: all its tokens were revoked.',
    reuse_detected: 'A refresh token was used twice, so its session was ended.',
  },
  output: {
    ...crud('output of a simulcast room', 'An'),
    failed: 'The stream cannot be sent to an output. The media server tries again.',
    recovered: 'The stream is sent to an output again after a failure.',
  },
  participant: {
    admitted: 'A participant was admitted to a meeting and got the address to join it.',
    joined: 'A participant joined a meeting.',
    left: 'A participant left a meeting.',
  },
  personal_access_token: {
    created: 'A personal access token was created.',
    deleted: 'A personal access token was revoked.',
  },
  recording: {
    ready: 'A recording can be watched.',
    updated: 'A recording was changed.',
    published: 'A recording was published.',
    unpublished: 'A recording was unpublished.',
    deleted: 'A recording was deleted.',
  },
  role: { ...crud('role'), permissions_changed: 'A role has other permissions.' },
  room: {
    ...crud('room'),
    owner_changed: 'A room has another owner.',
    transferred: 'A room moved to another account.',
  },
  room_access_code: crud('access code of a room', 'An'),
  room_token: crud('room token'),
  room_token_batch: {
    created: 'A batch of room tokens was ordered.',
    done: 'All tokens of a batch were created.',
    deleted: 'A batch of room tokens was deleted, with its tokens.',
  },
  room_user: crud('membership in a room'),
  service_package: crud('service package'),
  service_package_feature: crud('feature of a service package'),
  service_package_provider: crud('provider of a service package'),
  service_provider: {
    ...crud('service provider'),
    down: 'A service provider does not answer.',
    up: 'A service provider answers again.',
    failed_over: 'A meeting was opened on another provider because this one did not answer.',
  },
  settings: { updated: 'The settings of the platform were changed.' },
  stream: {
    started: 'A room went live.',
    ended: 'A room is no longer live; `reason` tells why.',
    updated: 'A stream was changed, or its encoder left or came back.',
    end_requested: 'A request was made to end the running session of a stream.',
    key_revealed: 'The key of a stream was read.',
    key_rotated: 'A stream has a new key.',
  },
  subscription: {
    ...crud('subscription'),
    renewed: 'A subscription was renewed. `automatic` tells whether the platform did it.',
    canceled: 'A subscription was canceled.',
    uncanceled: 'The cancellation of a subscription was withdrawn.',
    suspended: 'A subscription was suspended.',
    expiring: 'A subscription ends in `days_left` days: 14, 3 or 1.',
    limit_reached:
      'A request was refused because a limit is reached: `feature` has its `tag`, its `limit` and how much is `used`. At most once an hour for each feature.',
    usage_reconciled: 'The counted usage of a subscription was corrected.',
    features_synced: 'The features of a subscription were copied from its package again.',
    package_changed: 'A subscription has another package.',
    package_change_scheduled: 'A subscription will have another package from a later day on.',
    package_change_withdrawn: 'A scheduled package change was withdrawn.',
    package_change_failed: 'A scheduled package change failed.',
  },
  subscription_feature: crud('feature of a subscription'),
  subscription_provider: crud('provider of a subscription'),
  telephone: crud('telephone number of a customer'),
  user: { ...crud('user'), ...signIns('user') },
  video: {
    ...crud('video'),
    ready: 'A video was processed, and all its renditions can be watched.',
    failed: 'A video could not be processed; `failure` tells why.',
  },
  webhook: {
    ...crud('webhook'),
    secret_rotated: 'A webhook has a new secret.',
    disabled: 'A webhook was disabled because its receiver failed for three days or answered 410.',
  },
} as const;

type Catalogue = typeof eventCatalogue;
export type EventName = {
  [Noun in keyof Catalogue & string]: `${Noun}.${keyof Catalogue[Noun] & string}`;
}[keyof Catalogue & string];

export interface EventTypeDescription {
  readonly name: EventName;
  readonly description: string;
}

/** In alphabetical order. */
export const eventTypes: readonly EventTypeDescription[] = Object.entries(eventCatalogue)
  .flatMap(([noun, events]) =>
    Object.entries(events).map(([happened, description]) => ({
      name: `${noun}.${happened}` as EventName,
      description,
    })),
  )
  .toSorted((one, other) => (one.name < other.name ? -1 : 1));
