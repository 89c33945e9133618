import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The paths of PEM files. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** A self-signed certificate for localhost, as PEM files in the directory. */
export async function createCertificate(directory: string): Promise<Certificate> {
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost';
  await promisify(execFile)('openssl', [...words.split(' '), '-keyout', key, '-out', cert]);
  return { cert, key };
}
