/** Why a connection failed: a code that does not change, and a sentence without the address. */
export interface ConnectionProblem {
  readonly code: string;
  readonly message: string;
}

/** A failure whose message can be shown to people. */
export class ConnectionFailure extends Error implements ConnectionProblem {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'ConnectionFailure';
    this.code = code;
  }
}

const untrusted = ['certificate-untrusted', 'The certificate of the {} is not trusted.'] as const;
const unreachable = ['unreachable', 'The {} cannot be reached.'] as const;
const closed = ['connection-closed', 'The {} closed the connection.'] as const;

/** Our code and sentence for each error code of Node.js. */
const problems: Readonly<Record<string, readonly [string, string]>> = {
  ECONNREFUSED: ['connection-refused', 'The {} refuses connections.'],
  ENOTFOUND: ['host-unknown', 'The host name of the {} does not exist.'],
  EAI_AGAIN: ['host-unresolved', 'The host name of the {} cannot be resolved at the moment.'],
  ETIMEDOUT: ['no-response', 'The {} did not respond.'],
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ECONNRESET: closed,
  EPIPE: closed,
  ERR_TLS_CERT_ALTNAME_INVALID: ['certificate-other-host', 'The certificate of the {} is for another host name.'],
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_HAS_EXPIRED: ['certificate-expired', 'The certificate of the {} has expired.'],
};

/** The address is left out, since it may contain the stream key. */
export function describeConnectionError(peer: 'target' | 'source', error: Error): ConnectionProblem {
  if (error instanceof ConnectionFailure) return { code: error.code, message: error.message };
  const { code = '' } = error as NodeJS.ErrnoException;
  const [problemCode, sentence] = problems[code] ?? ['connection-failed', 'The connection to the {} failed.'];
  return { code: problemCode, message: sentence.replace('{}', peer) };
}
