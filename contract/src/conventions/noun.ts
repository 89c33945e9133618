/** What the lists of prefixes, permissions, scopes and events are derived from. */
export interface Noun {
  /** The value of the member `object`; a noun without it is no resource. */
  readonly object?: string;
  /** The type prefix of its `id`. */
  readonly prefix?: string;
  /**
   * Permissions `<verb>-<group>` of administrators, by group and verb. Every verb but `read` requires the `read` of its group,
   * where there is one, and the permissions that are named here, which are checked when the request is made.
   */
  readonly permissions?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** Events `<noun>.<what happened>`, each with a sentence for the reference. */
  readonly events?: Readonly<Record<string, string>>;
}

/** Nouns by their names, in the order in which permissions are listed. */
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
    sign_ins_throttled: `Sign-ins of ${one} are refused for some minutes after too many wrong passwords.`,
    password_reset_requested: `A link to reset the password of ${one} was requested.`,
    password_reset: `${article} ${noun} chose a new password with a mailed link.`,
    escalation_refused: `A request was refused because it would have given ${one} rights that the caller does not hold.`,
  } as const;
}
