import { createSelfSignedCertificate } from 'werift';

/** ECDSA with SHA-256 and the curve P-256, by their numbers in TLS. */
const signature = { hash: 4, signature: 3 } as const;
const curve = 23;

let certificate: ReturnType<typeof create> | null = null;

/** A certificate for connections within this computer, the same for the whole process. */
export async function createCertificate(): Promise<{ readonly cert: string; readonly key: string }> {
  certificate ??= create();
  return await certificate;
}

async function create() {
  const { certPem, keyPem } = await createSelfSignedCertificate(signature, curve);
  return { cert: certPem, key: keyPem };
}
