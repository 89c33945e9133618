export type ProviderFailureKind =
  /** No answer in time. */
  | 'timeout'
  | 'unreachable'
  /** Its certificate is not trusted: it may be somebody else. */
  | 'untrusted'
  /** It answered, but not with what its API promises. */
  | 'malformed'
  | 'oversize'
  | 'redirected'
  /** It does not accept the secret. */
  | 'checksum'
  /** It understood and said no; `messageKey` says why. */
  | 'refused'
  /** It failed so often that it is not asked for a while. */
  | 'circuit-open'
  /** What is stored of it cannot be used: nobody was asked. */
  | 'misconfigured';

/** What went wrong with a provider. Holds no secret and no signed address. */
export class ProviderFailure extends Error {
  readonly kind: ProviderFailureKind;
  readonly providerId: string;
  readonly messageKey: string | null;

  constructor(kind: ProviderFailureKind, providerId: string, message: string, messageKey: string | null = null) {
    super(message);
    this.name = 'ProviderFailure';
    this.kind = kind;
    this.providerId = providerId;
    this.messageKey = messageKey;
  }
}

/** Whether another provider may do better: it was no decision of the provider's. */
export function isOutage(error: unknown): error is ProviderFailure {
  return error instanceof ProviderFailure && error.kind !== 'refused';
}
