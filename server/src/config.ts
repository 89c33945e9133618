import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { type MailAddress, parseMailAddress } from './platform/mailer.ts';
import { parseSecretKeys, type SecretKey } from './platform/crypto/secret-box.ts';
import { parseUrl } from './platform/text/read-url.ts';

/** The settings in environment variables. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Null: the embedded PostgreSQL below the data directory. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  /** Null: `http(s)://HOST:PORT`, known once the server listens. */
  readonly publicUrl: string | null;
  /** Null with the embedded database: generated once into the data directory. */
  readonly secretKeys: readonly SecretKey[] | null;
  readonly firstAdmin: { readonly username: string; readonly email: string; readonly password: string | null };
  readonly demo: boolean;
  readonly sandboxPort: number;
  readonly sandboxSecret: string;
  /** The port of the media server; 0 to start none. */
  readonly mediaPort: number;
  readonly mediaRtmpPort: number;
  /** Null: generated once into the data directory. */
  readonly mediaSecret: string | null;
  /** Other environment variables for the media server. */
  readonly mediaEnvironment: Readonly<Record<string, string>>;
  readonly requireHttps: boolean;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  /** The trusted proxies, by number or address. */
  readonly trustProxy: false | number | string;
  readonly rateLimits: boolean;
  readonly maxConnections: number;
  /** Null: requests are not limited. */
  readonly maxConnectionsPerAddress: number | null;
  /** Null: no mail is sent, and links are returned instead. */
  readonly mail: { readonly smtpUrl: string; readonly from: MailAddress | null } | null;
  /** Null: only the languages of Foyer. */
  readonly cataloguesDir: string | null;
  readonly logLevel: string;
}

/** The faults of the environment, each with the name of its variable. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** @throws ConfigError that names every fault at once. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = [];
  const read = (name: string) => {
    const text = environment[name]?.trim();
    return text === undefined || text === '' ? null : text;
  };
  const port = (name: string, fallback: number, lowest: number) => {
    const text = read(name);
    if (text === null) return fallback;
    const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= lowest && number <= 65_535) return number;
    faults.push(`${name} must be a port number from ${lowest} to 65535, not ${JSON.stringify(text)}.`);
    return fallback;
  };
  const count = (name: string) => {
    const text = read(name);
    if (text === null) return null;
    if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
    faults.push(`${name} must be a whole number from 1 to 999999, not ${JSON.stringify(text)}.`);
    return null;
  };
  const flag = (name: string, fallback: boolean) => {
    const text = read(name)?.toLowerCase();
    if (text === undefined) return fallback;
    if (['true', '1', 'yes', 'on'].includes(text)) return true;
    if (['false', '0', 'no', 'off'].includes(text)) return false;
    faults.push(`${name} must be true or false, not ${JSON.stringify(text)}.`);
    return fallback;
  };
  const url = (name: string, protocols: readonly string[]) => {
    const text = read(name);
    if (text === null) return null;
    if (protocols.includes(parseUrl(text)?.protocol ?? '')) return text.replace(/\/+$/, '');
    faults.push(
      `${name} must be an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}.`,
    );
    return null;
  };

  const host = read('HOST') ?? '127.0.0.1';
  const databaseUrl = url('DATABASE_URL', ['postgres:', 'postgresql:']);
  const trustProxy = readTrustProxy(read('FOYER_TRUST_PROXY'), faults);
  const logLevel = read('LOG_LEVEL')?.toLowerCase() ?? 'info';
  if (!logLevels.includes(logLevel)) faults.push(`LOG_LEVEL must be one of ${logLevels.join(', ')}.`);
  const config: Config = {
    host,
    port: port('PORT', 8080, 0),
    databaseUrl,
    dataDir: resolve(read('FOYER_DATA_DIR') ?? 'data'),
    publicUrl: url('FOYER_PUBLIC_URL', ['http:', 'https:']),
    secretKeys: readSecretKeys(read('FOYER_SECRET_KEYS'), read('DATABASE_URL') !== null, faults),
    firstAdmin: readFirstAdmin(read, faults),
    demo: flag('FOYER_DEMO', read('DATABASE_URL') === null),
    sandboxPort: port('FOYER_SANDBOX_PORT', 8090, 0),
    sandboxSecret: read('SANDBOX_SECRET')?.split(',')[0] ?? 'sandbox-secret',
    mediaPort: port('FOYER_MEDIA_PORT', 8070, 0),
    mediaRtmpPort: port('FOYER_MEDIA_RTMP_PORT', 1935, 0),
    mediaSecret: read('FOYER_MEDIA_SECRET'),
    mediaEnvironment: mediaEnvironment(environment),
    requireHttps: flag('FOYER_REQUIRE_HTTPS', !isLoopback(host)),
    tls: readTls(read, faults),
    trustProxy,
    rateLimits: flag('FOYER_RATE_LIMITS', true),
    maxConnections: count('FOYER_MAX_CONNECTIONS') ?? 10_000,
    // Behind a proxy, all connections have its address.
    maxConnectionsPerAddress:
      count('FOYER_MAX_CONNECTIONS_PER_ADDRESS') ?? (trustProxy === false && !isLoopback(host) ? 1000 : null),
    mail: readMail(url('FOYER_SMTP_URL', ['smtp:', 'smtps:']), read('FOYER_MAIL_FROM'), faults),
    cataloguesDir: read('FOYER_CATALOGUES_DIR') === null ? null : resolve(read('FOYER_CATALOGUES_DIR') ?? ''),
    logLevel,
  };
  if (!config.rateLimits && !isLoopback(host))
    faults.push('FOYER_RATE_LIMITS can only be off if HOST is a loopback address.');
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

function mediaEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const names = Object.keys(environment).filter((name) =>
    /^(?:FOYER_MEDIA_\w+|FOYER_FF\w+|FOYER_STORAGE_URL|AWS_(?:ACCESS_KEY_ID|SECRET_ACCESS_KEY)|PATH|HOME)$/.test(name),
  );
  return Object.fromEntries(names.map((name) => [name, environment[name] ?? '']));
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

type Read = (name: string) => string | null;

function readSecretKeys(text: string | null, isRequired: boolean, faults: string[]): readonly SecretKey[] | null {
  if (text === null) {
    if (isRequired)
      faults.push(
        'FOYER_SECRET_KEYS is required with DATABASE_URL. Its format is id:base64key, with a key of 32 random bytes.',
      );
    return null;
  }
  const parsed = parseSecretKeys(text);
  if ('faults' in parsed) faults.push(...parsed.faults.map((fault) => `FOYER_SECRET_KEYS: ${fault}`));
  return 'keys' in parsed ? parsed.keys : null;
}

/** Checks the username and the email of the first administrator. @param labels names of the variables or options, for the messages */
export function adminFaults(
  { username, email }: { readonly username: string; readonly email: string },
  labels: { readonly username: string; readonly email: string },
): string[] {
  return [
    ...(/^[A-Za-z0-9._-]{3,50}$/.test(username)
      ? []
      : [`${labels.username} must be 3 to 50 letters, digits, dots, underscores or hyphens.`]),
    ...(/^[^\s@]+@[^\s@]+$/.test(email) ? [] : [`${labels.email} must be an email address.`]),
  ];
}

function readFirstAdmin(read: Read, faults: string[]): Config['firstAdmin'] {
  const username = read('FOYER_ADMIN_USERNAME') ?? 'admin';
  const email = read('FOYER_ADMIN_EMAIL') ?? 'admin@example.com';
  const password = read('FOYER_ADMIN_PASSWORD');
  faults.push(...adminFaults({ username, email }, { username: 'FOYER_ADMIN_USERNAME', email: 'FOYER_ADMIN_EMAIL' }));
  if (password !== null && ([...password].length < 12 || [...password].length > 128)) {
    faults.push('FOYER_ADMIN_PASSWORD must have 12 to 128 characters.');
  }
  return { username, email, password };
}

function readMail(smtpUrl: string | null, text: string | null, faults: string[]): Config['mail'] {
  const from = text === null ? null : parseMailAddress(text);
  if (text !== null && from === null)
    faults.push('FOYER_MAIL_FROM must be an email address, or a name with an email address in angle brackets.');
  if (smtpUrl === null) return null;
  if (new URL(smtpUrl).hostname === '') faults.push('FOYER_SMTP_URL must contain the host of the mail server.');
  return { smtpUrl, from };
}

function readTls(read: Read, faults: string[]): Config['tls'] {
  const certFile = read('FOYER_TLS_CERT');
  const keyFile = read('FOYER_TLS_KEY');
  if ((certFile === null) !== (keyFile === null))
    faults.push('FOYER_TLS_CERT and FOYER_TLS_KEY must be set together: both are PEM files.');
  return certFile !== null && keyFile !== null ? { certFile, keyFile } : null;
}

function readTrustProxy(text: string | null, faults: string[]): false | number | string {
  if (text === null || /^(false|0|no|off)$/i.test(text)) return false;
  if (/^(true|yes|on)$/i.test(text)) return 1;
  if (/^[1-9]$/.test(text)) return Number(text);
  const namedNetworks = ['loopback', 'linklocal', 'uniquelocal'];
  const addresses = text.split(',').map((part) => part.trim());
  if (addresses.every((part) => namedNetworks.includes(part) || isIP(part.split('/')[0] ?? '') !== 0))
    return addresses.join(',');
  faults.push(
    'FOYER_TRUST_PROXY must be true, false, a number of proxies, or a comma-separated list of addresses or networks.',
  );
  return false;
}
