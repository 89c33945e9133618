/** A noun of the API. The lists of prefixes, permissions, scopes and events are derived from the nouns. */
export interface Noun {
  /** The value of the member `object`; absent if the noun is not a resource. */
  readonly object?: string;
  /** The type prefix of its `id`. */
  readonly prefix?: string;
  /**
   * Permissions `<verb>-<group>` of administrators, by group and verb. Every verb except `read` requires the `read`
   * permission of its group, if there is one, and the permissions that are listed here. They are checked with each
   * request.
   */
  readonly permissions?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** Events `<noun>.<what happened>`, each with a sentence for the reference. */
  readonly events?: Readonly<Record<string, string>>;
}

/** The nouns by name, in the order in which permissions are listed. */
export type Nouns = Readonly<Record<string, Noun>>;

/** The tags of endpoints, each with a sentence for the reference. */
export type Tags = Readonly<Record<string, string>>;

export function crudEvents(noun: string, article = 'A') {
  return {
    created: `${article} ${noun} was created.`,
    updated: `${article} ${noun} was changed.`,
    deleted: `${article} ${noun} was deleted.`,
  } as const;
}

export function signInEvents(noun: string, article = 'A') {
  const one = `${article.toLowerCase()} ${noun}`;
  return {
    logged_in: `${article} ${noun} signed in.`,
    sessions_ended: `All sessions and tokens of ${one} were ended.`,
    sign_ins_throttled: `Sign-ins of ${one} are blocked for some minutes after too many wrong passwords.`,
    password_reset_requested: `A link to reset the password of ${one} was requested.`,
    password_reset: `${article} ${noun} chose a new password with a mailed link.`,
    escalation_refused: `A request was rejected because it would have given ${one} rights that the caller does not hold.`,
  } as const;
}
