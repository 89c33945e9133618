import { X509Certificate } from 'node:crypto';

import type { ParsedProperty } from './provider-type.ts';

const maxLength = 65_536;
const pemBlock = /-----BEGIN ([A-Z0-9 ]+)-----[\sA-Za-z0-9+/=]+-----END \1-----/g;

/**
 * Reads one or several certificates in PEM. Other contents are rejected: a private key would be
 * stored and printed unencrypted.
 */
export function parseCaCertificate(text: string): ParsedProperty {
  if (text.length > maxLength) return refuse(`must not be longer than ${maxLength} characters`);
  const blocks = [...text.matchAll(pemBlock)];
  if (blocks.some(([, kind]) => kind !== 'CERTIFICATE')) return refuse('must only contain certificates, no key');
  if (blocks.length === 0 || text.replaceAll(pemBlock, '').trim() !== '')
    return refuse('must be a certificate in PEM, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----');
  const pems = blocks.map(([pem]) => pem);
  if (!pems.every(isReadable)) return refuse('contains a certificate that cannot be read');
  return { ok: true, value: `${pems.join('\n')}\n` };
}

function isReadable(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== null;
  } catch {
    return false;
  }
}

function refuse(problem: string): ParsedProperty {
  return { ok: false, message: `The ca_certificate property ${problem}.` };
}
