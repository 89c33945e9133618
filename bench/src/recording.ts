/** A statement as it went to PostgreSQL. */
export interface Statement {
  readonly text: string;
  readonly values: readonly Value[];
}

export type Value = string | number | boolean | null | { readonly bytes: string };

/** What Foyer asks of PostgreSQL for each request, in order, and how it answers. */
export interface Recording {
  /** Finds who holds the token; asked for once per token in ten seconds. */
  readonly token: Statement;
  /** Counts all rooms; asked for once in two seconds. */
  readonly total: Statement;
  readonly list: RecordedRequest;
  readonly read: RecordedRequest;
  readonly create: RecordedRequest;
}

export interface RecordedRequest {
  readonly statements: readonly Statement[];
  readonly answer: string;
  /** The headers that are the same on every answer of its kind. */
  readonly headers: Readonly<Record<string, string>>;
}
