/** The types of one endpoint. */
export interface Operation {
  /** The identifiers in its path. */
  readonly params: object;
  readonly body: unknown;
  readonly query: object;
  readonly answer: unknown;
  readonly isList: boolean;
  readonly hasCsv: boolean;
}

/** The data of an endpoint that the client needs at run time. */
export interface Route {
  readonly method: string;
  /** Relative to `/api/v1`, with parameters as `:name`. */
  readonly path: string;
  /** Whether the endpoint also exists without `/api/v1`. */
  readonly hasUnprefixedPath?: boolean;
}

/** List parameters and options that every request accepts. */
export interface Query {
  readonly orderBy?: string;
  readonly sortedBy?: string;
  readonly page?: number;
  readonly limit?: number;
  readonly cursor?: string;
  readonly count?: boolean;
  readonly search?: string;
  readonly searchFields?: string;
  readonly searchJoin?: 'and' | 'or';
  readonly filter?: string;
  readonly include?: string;
  readonly skipCache?: boolean;
}
