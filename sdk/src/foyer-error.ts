export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, the text if it is not JSON, or null if the body is empty. */
  readonly body: unknown;
}

/** An error response of the platform. */
export class FoyerError extends Error {
  readonly status: number;
  /** The error code, which never changes. */
  readonly code: string;
  /** The messages by field name. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
  readonly requestId: string | null;
  /** The value of `Retry-After` in seconds, if present. */
  readonly retryAfter: number | null;

  constructor(answer: RawAnswer, body: { message?: unknown; code?: unknown; errors?: unknown; request_id?: unknown }) {
    super(typeof body.message === 'string' ? body.message : `The platform answered with the status ${answer.status}.`);
    this.name = 'FoyerError';
    this.status = answer.status;
    this.code = typeof body.code === 'string' ? body.code : 'unknown';
    this.errors = (typeof body.errors === 'object' && body.errors !== null ? body.errors : {}) as Record<
      string,
      string[]
    >;
    this.requestId = typeof body.request_id === 'string' ? body.request_id : null;
    const retryAfter = Number(answer.headers.get('retry-after') ?? Number.NaN);
    this.retryAfter = Number.isNaN(retryAfter) ? null : retryAfter;
  }
}

export function readFailure(answer: RawAnswer): FoyerError {
  const { body } = answer;
  return new FoyerError(answer, typeof body === 'object' && body !== null ? body : {});
}
