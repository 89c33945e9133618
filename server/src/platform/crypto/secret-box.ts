import { createCipheriv, randomBytes } from 'node:crypto';
import { compactDecrypt, decodeProtectedHeader, errors } from 'jose';

/** Encrypts texts for storage with AES-256-GCM. The associated data binds each text to its row. */
export interface SecretBox {
  /** @param context the associated data: table, row and column, as in `service_providers:<uuid>:secret` */
  seal(text: string, context: string): Promise<string>;
  /** @throws SecretUnreadable */
  open(sealed: string, context: string): Promise<string>;
  /** The id of the key that encrypted the secret. @throws SecretUnreadable if the text is not an encrypted secret */
  keyId(sealed: string): string;
  /** Whether there is a newer key than the one that encrypted the secret. */
  needsRotation(sealed: string): boolean;
}

export interface SecretKey {
  /** 1 to 64 of `[A-Za-z0-9._-]`. */
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

/** Neither message nor cause contains any part of the secret. */
export class SecretUnreadable extends Error {
  readonly reason: 'unknown-key' | 'damaged' | 'other-context';

  constructor(reason: SecretUnreadable['reason'], message: string) {
    super(message);
    this.name = 'SecretUnreadable';
    this.reason = reason;
  }
}

/**
 * The first key is the newest and encrypts; all keys decrypt.
 * @param reloadKeys reads the current keys; called when a secret names an unknown key
 */
export function createSecretBox(
  keys: readonly SecretKey[],
  reloadKeys?: () => Promise<readonly SecretKey[]>,
): SecretBox {
  let keyRing = createKeyRing(keys);
  let reading: Promise<void> | null = null;

  async function findKey(id: string): Promise<(() => Promise<CryptoKey>) | undefined> {
    if (!keyRing.byId.has(id) && reloadKeys) {
      reading ??= reloadKeys()
        .then((keys) => void (keyRing = createKeyRing(keys)))
        .finally(() => (reading = null));
      await reading;
    }
    return keyRing.byId.get(id);
  }

  return {
    async seal(text, context) {
      const header = { alg: 'dir', enc: 'A256GCM', kid: keyRing.newest.id, ctx: context };
      return encrypt(text, header, keyRing.newest.key);
    },

    async open(sealed, context) {
      const id = readKeyId(sealed);
      const key = await findKey(id);
      if (!key) throw new SecretUnreadable('unknown-key', `The encryption key ${id} is missing.`);
      const { plaintext, protectedHeader } = await decrypt(sealed, await key());
      if (protectedHeader['ctx'] !== context) {
        throw new SecretUnreadable('other-context', 'The secret was encrypted for another row or column.');
      }
      return new TextDecoder().decode(plaintext);
    },

    keyId: readKeyId,

    needsRotation: (sealed) => readKeyId(sealed) !== keyRing.newest.id,
  };
}

function createKeyRing(keys: readonly SecretKey[]) {
  const [newest] = keys;
  const faults = keys.flatMap(({ id, key }, index) => faultsOf(id, key, index));
  if (newest === undefined) throw new TypeError('At least one encryption key is needed.');
  if (faults.length > 0) throw new TypeError(faults.join(' '));
  const byId = new Map(keys.map(({ id, key }) => [id, importOnce(key)]));
  if (byId.size < keys.length) throw new TypeError('Two keys have the same id.');
  return { byId, newest: { id: newest.id, key: Uint8Array.from(newest.key) } };
}

/** Importing a key costs as much as using it, so each key is imported once. */
function importOnce(bytes: Uint8Array): () => Promise<CryptoKey> {
  const copy = Uint8Array.from(bytes);
  let importedKey: Promise<CryptoKey> | null = null;
  return () => (importedKey ??= crypto.subtle.importKey('raw', copy, 'AES-GCM', false, ['encrypt', 'decrypt']));
}

export type SecretKeys =
  | { readonly ok: true; readonly keys: readonly SecretKey[] }
  | { readonly ok: false; readonly faults: readonly string[] };

/** Parses `id:base64key[,…]`, newest first. Faults name the position and the id, never the key. */
export function parseSecretKeys(text: string): SecretKeys {
  const faults: string[] = [];
  const keys: SecretKey[] = [];
  const ids = new Set<string>();
  for (const [index, entry] of text.split(',').entries()) {
    const colon = entry.indexOf(':');
    if (colon < 0) {
      faults.push(`Key ${index + 1} must have the form id:base64key.`);
      continue;
    }
    const id = entry.slice(0, colon).trim();
    const key = decodeKey(entry.slice(colon + 1).trim());
    faults.push(...faultsOf(id, key, index));
    if (ids.has(id)) faults.push(`Key ${index + 1} has the id of an earlier key.`);
    ids.add(id);
    if (key) keys.push({ id, key });
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, keys };
}

/** A random key with a random id, to be placed before the existing keys. */
export function generateSecretKey(): SecretKey {
  return { id: `k${randomBytes(4).toString('hex')}`, key: Uint8Array.from(randomBytes(keyLength)) };
}

/** The form that `parseSecretKeys` reads. */
export function printSecretKeys(keys: readonly SecretKey[]): string {
  return keys.map(({ id, key }) => `${id}:${Buffer.from(key).toString('base64')}`).join(',');
}

const keyLength = 32;

function readKeyId(sealed: string): string {
  const id = headerOf(sealed).kid;
  if (typeof id !== 'string') throw new SecretUnreadable('damaged', 'The secret has no key id.');
  return id;
}

function headerOf(sealed: string) {
  try {
    return decodeProtectedHeader(sealed);
  } catch {
    throw new SecretUnreadable('damaged', 'This is not an encrypted secret.');
  }
}

/**
 * A compact JWE. `jose` encrypts with WebCrypto, whose detour through the thread pool takes several times as long as the
 * encryption itself, so it only decrypts here.
 */
function encrypt(text: string, header: object, key: Uint8Array): string {
  const associatedData = Buffer.from(JSON.stringify(header)).toString('base64url');
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(associatedData));
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const parts = [iv, encrypted, cipher.getAuthTag()].map((part) => part.toString('base64url'));
  // The second of the five parts is the encrypted key, which is empty with `dir`.
  return [associatedData, '', ...parts].join('.');
}

async function decrypt(sealed: string, key: CryptoKey) {
  try {
    return await compactDecrypt(sealed, key, {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) {
      throw new SecretUnreadable('damaged', 'The secret is damaged or was encrypted with another key.');
    }
    throw error;
  }
}

function faultsOf(id: string, key: Uint8Array | null, index: number): string[] {
  const faults: string[] = [];
  const name = `Key ${index + 1}`;
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(id)) {
    faults.push(`The id of ${name} must be 1 to 64 letters, digits, dots, underscores or hyphens.`);
  }
  if (key === null) faults.push(`${name} is not base64.`);
  else if (key.length !== keyLength) {
    faults.push(`${name} has ${key.length} bytes instead of ${keyLength}.`);
  }
  return faults;
}

function decodeKey(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return null;
  return Uint8Array.from(Buffer.from(text, 'base64'));
}
