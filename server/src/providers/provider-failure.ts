export type ProviderFailureKind =
  /** No answer in time. */
  | 'timeout'
  | 'unreachable'
  /** Its TLS certificate is not trusted. */
  | 'untrusted'
  /** The answer does not follow its API. */
  | 'malformed'
  /** Its web server, or a proxy, answered this one request with an HTTP error. */
  | 'http-error'
  /** The request is too long for the provider, so it was not sent. */
  | 'too-long'
  | 'oversize'
  | 'redirected'
  /** It does not accept the secret. */
  | 'checksum'
  /** The API returned an error; `messageKey` has the reason. */
  | 'refused'
  /** The circuit breaker is open after repeated failures, so nothing was sent. */
  | 'circuit-open'
  /** Its stored properties are invalid, so nothing was sent. */
  | 'misconfigured';

/** Other failures happen before the request is sent, or the provider's answer says that it did nothing. */
const possiblyAppliedKinds: ReadonlySet<ProviderFailureKind> = new Set([
  'timeout',
  'unreachable',
  'malformed',
  'oversize',
]);

/** A failure of a provider. Contains no secret and no signed address. */
export class ProviderFailure extends Error {
  readonly kind: ProviderFailureKind;
  readonly providerId: string;
  readonly messageKey: string | null;
  /** Whether the provider may have received and executed the request. */
  readonly mayHaveArrived: boolean;

  constructor(
    kind: ProviderFailureKind,
    providerId: string,
    message: string,
    {
      messageKey = null,
      mayHaveArrived = possiblyAppliedKinds.has(kind),
    }: { readonly messageKey?: string | null; readonly mayHaveArrived?: boolean } = {},
  ) {
    super(message);
    this.name = 'ProviderFailure';
    this.kind = kind;
    this.providerId = providerId;
    this.messageKey = messageKey;
    this.mayHaveArrived = mayHaveArrived;
  }
}

/** Whether other requests to the provider fail as well, so that there is no point in sending them now. */
export function isOutage(error: unknown): error is ProviderFailure {
  return error instanceof ProviderFailure && !kindsOfOneRequest.has(error.kind);
}

const kindsOfOneRequest: ReadonlySet<ProviderFailureKind> = new Set([
  'refused',
  'http-error',
  'malformed',
  'oversize',
  'too-long',
]);

/** Whether to try the request on another provider; not after a decision of the provider's API. */
export function canRetryOnOtherProvider(error: unknown): error is ProviderFailure {
  return error instanceof ProviderFailure && error.kind !== 'refused';
}
