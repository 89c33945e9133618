import { ProviderFailure } from '../provider-failure.ts';

export interface Attempt {
  readonly providerId: string;
  /** The signed URL. Messages show only its host and port. */
  readonly url: string;
  readonly timeoutMs: number;
}

/**
 * The reason for a failed connection, with advice.
 *
 * The text of `error` is not used, since it may contain the signed URL.
 */
export function connectionFailure({ providerId, url, timeoutMs }: Attempt, error: unknown): ProviderFailure {
  const { hostname, port, protocol } = new URL(url);
  const code = codeOf(error);
  if (/timeout/i.test(code) || code === 'ETIMEDOUT' || code === 'ABORTED') {
    const seconds = timeoutMs / 1000;
    const message = `${hostname} did not respond within ${seconds} s. Check that the server runs, and that no firewall drops the connection.`;
    return new ProviderFailure('timeout', providerId, message);
  }
  const trustProblem = certificateProblem(code, hostname, error);
  if (trustProblem !== null) return new ProviderFailure('untrusted', providerId, trustProblem);
  const target = { hostname, port: port || (protocol === 'https:' ? '443' : '80') };
  const connectMessage = connectionProblems[code]?.(target);
  return new ProviderFailure('unreachable', providerId, connectMessage ?? brokenConnection(code, target), {
    mayHaveArrived: connectMessage === undefined,
  });
}

interface Target {
  readonly hostname: string;
  readonly port: string;
}

/** The messages for failures before anything was sent, by error code. */
const connectionProblems: Readonly<Record<string, (target: Target) => string>> = {
  ECONNREFUSED: ({ hostname, port }) =>
    `${hostname} refuses connections on port ${port}. Check the address, and that the web server runs there.`,
  ENOTFOUND: ({ hostname }) =>
    `The host name ${hostname} does not exist. Check the address for typos, and the DNS entry.`,
  EAI_AGAIN: ({ hostname }) =>
    `The host name ${hostname} cannot be looked up now. Check the DNS server of this machine.`,
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
};

function noRoute({ hostname }: Target): string {
  return `There is no network route to ${hostname}. Check the address, and the network and firewall of this machine.`;
}

function brokenConnection(code: string, { hostname, port }: Target): string {
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return `${hostname} does not speak TLS on port ${port}. Check the port of the address.`;
  if (code === 'HTTPParserError')
    return `${hostname} does not speak HTTP on port ${port}. Check the port of the address.`;
  return `${hostname} closed the connection on port ${port} without a complete answer. Check the port, and the log of the web server.`;
}

/** Null if the certificate is not the reason. */
function certificateProblem(code: string, hostname: string, error: unknown): string | null {
  if (code === 'CERT_HAS_EXPIRED') return `The TLS certificate of ${hostname} has expired. Renew it on the server.`;
  if (code === 'CERT_NOT_YET_VALID')
    return `The TLS certificate of ${hostname} is not valid yet. Check the clock of this machine and the date of the certificate.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The TLS certificate of ${hostname} is for another host${namesIn(error)}. Use that name in the address, or install a certificate for ${hostname}.`;
  if (!certificateCodes.test(code)) return null;
  return `The TLS certificate of ${hostname} is not trusted. Install a certificate of a public authority with its intermediate certificates, or set ca_certificate to the authority of this one.`;
}

/** The names that the certificate is for, as ` (meet.example.com)`. */
function namesIn(error: unknown): string {
  const cert = (error as { cert?: { subjectaltname?: unknown } }).cert;
  const names = typeof cert?.subjectaltname === 'string' ? cert.subjectaltname.replaceAll('DNS:', '') : '';
  return /^[\w.*:, -]{1,200}$/.test(names) ? ` (${names})` : '';
}

/** The code of the error, or its name if it has no code. */
function codeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : '';
}

/** OpenSSL error codes. */
const certificateCodes =
  /CERT|ISSUER|CRL|SELF_SIGNED|VERIFY|^(?:INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED)$/;
