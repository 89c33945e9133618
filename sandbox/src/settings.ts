import type { ScaleliteOptions } from './scalelite/balancer.ts';

export interface SandboxSettings {
  host: string;
  port: number;
  secrets: string[];
  maxUserConcurrentAccesses: number;
  /** Present if a Scalelite is simulated. */
  scalelite?: ScaleliteOptions;
}

/** Reads the environment. Every fault is reported, not only the first. */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
): { settings: SandboxSettings } | { faults: string[] } {
  const faults: string[] = [];
  const host = (environment['SANDBOX_HOST'] ?? '').trim() || '127.0.0.1';
  if (!/^[A-Za-z0-9.:-]+$/.test(host)) faults.push('SANDBOX_HOST must be a host name or an address.');

  const portText = (environment['SANDBOX_PORT'] ?? '').trim() || '8090';
  const port = Number(portText);
  if (!/^\d+$/.test(portText) || port > 65_535) {
    faults.push('SANDBOX_PORT must be a whole number from 0 to 65535.');
  }

  const secrets = (environment['SANDBOX_SECRET'] ?? 'sandbox-secret').split(',').map((secret) => secret.trim());
  if (secrets.includes('')) {
    faults.push('SANDBOX_SECRET must be a secret, or several separated by commas, none of them empty.');
  }
  const accessesText = (environment['SANDBOX_MAX_USER_CONCURRENT_ACCESSES'] ?? '').trim() || '3';
  if (!/^\d{1,6}$/.test(accessesText)) {
    faults.push('SANDBOX_MAX_USER_CONCURRENT_ACCESSES must be a whole number; 0 sets no limit.');
  }
  const kind = (environment['SANDBOX_KIND'] ?? '').trim() || 'bigbluebutton';
  if (kind !== 'bigbluebutton' && kind !== 'scalelite') {
    faults.push('SANDBOX_KIND must be bigbluebutton or scalelite.');
  }
  const scalelite = kind === 'scalelite' ? { scalelite: {} } : {};
  return faults.length > 0
    ? { faults }
    : { settings: { host, port, secrets, maxUserConcurrentAccesses: Number(accessesText), ...scalelite } };
}
