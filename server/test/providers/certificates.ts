// `@peculiar/x509` expects this polyfill in the global scope.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { onTestFinished } from 'vitest';
import type { Responder, RawServer } from './raw-server.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 86_400_000;

export interface Authority {
  readonly pem: string;
  issue(options?: { host?: string; from?: Date; until?: Date }): Promise<{ cert: string; key: string }>;
}

/** Creates a certificate authority that clients do not trust by default. */
export async function makeAuthority(name: string): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const authority: X509Certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: `CN=${name}`,
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + dayMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [new BasicConstraintsExtension(true, 1, true)],
  });
  return {
    pem: authority.toString('pem'),
    async issue({
      host = '127.0.0.1',
      from = new Date(Date.now() - dayMs / 2),
      until = new Date(Date.now() + dayMs / 2),
    } = {}) {
      const server = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
      const certificate = await X509CertificateGenerator.create({
        serialNumber: '02',
        subject: `CN=${host}`,
        issuer: authority.subject,
        notBefore: from,
        notAfter: until,
        signingAlgorithm: algorithm,
        publicKey: server.publicKey,
        signingKey: keys.privateKey,
        extensions: [
          new SubjectAlternativeNameExtension([{ type: /^[\d.]+$/.test(host) ? 'ip' : 'dns', value: host }]),
        ],
      });
      const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', server.privateKey)).toString('base64');
      const lines = key.match(/.{1,64}/g) ?? [];
      return {
        cert: certificate.toString('pem'),
        key: ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n'),
      };
    },
  };
}

/** Starts an HTTPS server with the certificate, like `startRawServer`. */
export async function startTlsServer(identity: { cert: string; key: string }, answer: Responder): Promise<RawServer> {
  const requests: string[] = [];
  const server = createServer(identity, (request, response) => {
    requests.push(request.url ?? '');
    answer(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
