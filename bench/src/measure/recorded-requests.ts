/** A recorded SQL statement. */
export interface Statement {
  readonly text: string;
  readonly values: readonly Value[];
}

export type Value = string | number | boolean | null | { readonly bytes: string };

/** The recorded statements and response of each request. */
export interface RecordedRequests {
  /** Looks up the token; cached for ten seconds per token. */
  readonly tokenStatement: Statement;
  /** Counts all rooms; cached for two seconds. */
  readonly countStatement: Statement;
  readonly list: RecordedRequest;
  readonly read: RecordedRequest;
  readonly create: RecordedRequest;
}

export interface RecordedRequest {
  readonly statements: readonly Statement[];
  readonly answer: string;
  /** Headers that all responses to the request share. */
  readonly headers: Readonly<Record<string, string>>;
}
