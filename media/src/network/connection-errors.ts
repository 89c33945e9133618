const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The {} refuses connections.',
  ENOTFOUND: 'The host name of the {} does not exist.',
  EAI_AGAIN: 'The host name of the {} cannot be resolved at the moment.',
  ETIMEDOUT: 'The {} did not respond.',
  EHOSTUNREACH: 'The {} cannot be reached.',
  ENETUNREACH: 'The {} cannot be reached.',
  ECONNRESET: 'The {} closed the connection.',
  EPIPE: 'The {} closed the connection.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the {} is for another host name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of the {} is not trusted.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate of the {} is not trusted.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate of the {} is not trusted.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate of the {} is not trusted.',
  CERT_HAS_EXPIRED: 'The certificate of the {} has expired.',
};

/** Never contains the address, which may contain the stream key. */
export function describeConnectionError(peer: 'target' | 'source', error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error.message;
  return (sentences[code] ?? 'The connection to the {} failed.').replace('{}', peer);
}
