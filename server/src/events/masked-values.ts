import { secretMask } from '@foyer/contract/resources/providers/provider-types.ts';

/** The members that differ between two rows, or all members of a new or deleted row. Secrets are masked. */
export function difference(
  resourceType: string,
  before: object | null,
  after: object | null,
): { before: Record<string, unknown> | null; after: Record<string, unknown> | null } {
  if (!before || !after)
    return {
      before: before && maskMembers(resourceType, before),
      after: after && maskMembers(resourceType, after),
    };
  const older = maskMembers(resourceType, before);
  const newer = maskMembers(resourceType, after);
  const names = new Set([...Object.keys(older), ...Object.keys(newer)]);
  const changed = [...names].filter((name) => {
    const [from, to] = [(before as Record<string, unknown>)[name], (after as Record<string, unknown>)[name]];
    return !ignoredColumns.has(name) && JSON.stringify(from) !== JSON.stringify(to);
  });
  // Only own members: the name of a metadata member can be that of a method, such as `valueOf`.
  const valuesIn = (members: Record<string, unknown>) =>
    Object.fromEntries(changed.map((name) => [name, Object.hasOwn(members, name) ? (members[name] ?? null) : null]));
  return { before: valuesIn(older), after: valuesIn(newer) };
}

const ignoredColumns = new Set(['id', 'created_at', 'updated_at']);

/** Members that are secret only in these resources. */
const secretMembers: Readonly<Record<string, readonly string[]>> = {
  RoomAccessCode: ['code', 'access_code'],
  Room: ['access_code'],
  Video: ['poster_url', 'upload'],
  // Names are deleted after the time in the settings, earlier than events.
  Participant: ['name', 'full_name'],
};

/** Masks the secrets of a row, and removes members that are undefined. */
export function maskMembers(resourceType: string, row: object): Record<string, unknown> {
  const secretNames = secretMembers[resourceType] ?? [];
  // Each event masks three objects. Changing a copy takes half the time of building an object.
  const members: Record<string, unknown> = { ...row };
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (value === undefined) delete members[name];
    else if (value !== null) members[name] = secretNames.includes(name) ? secretMask : maskValue(name, value);
  }
  return members;
}

/** Masks the secrets in the value. They are recognized by their name or their format. */
function maskValue(name: string, value: unknown): unknown {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  if (isSecretName(name)) return secretMask;
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map((item) => maskValue('', item));
  if (value instanceof Uint8Array) return secretMask;
  if (typeof value !== 'object' || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([member, nested]) => [member, maskValue(member, nested)]));
}

/** Bounded, because customers choose the names of metadata members. */
const isSecretByName = new Map<string, boolean>();
const maxSecretNames = 5000;

function isSecretName(name: string): boolean {
  let isSecret = isSecretByName.get(name);
  if (isSecret === undefined) {
    isSecret = secretName.test(name) && !notSecretName.test(name);
    if (isSecretByName.size >= maxSecretNames) isSecretByName.clear();
    isSecretByName.set(name, isSecret);
  }
  return isSecret;
}

const secretName =
  /passw(?:or)?d|passphrase|secret|credential|totp|(?:^|_)otp|recovery_code|backup_code|(?:^|_)(?:hash|hashes|sealed|seed)$|^(?:token|access_token|refresh_token|id_token|authorization_code|code_verifier|private_key|api_key|signing_key|host_key)$/i;

/** Members about a secret, such as `password_changed_at`, are not secret. */
const notSecretName = /_(?:at|on|by|days|hours|minutes|seconds|ms|count|length|changed|required|accepted)$/i;

function maskText(text: string): string {
  if (text.length < 40) return text;
  return text.replaceAll(secretPattern, secretMask);
}

/** Formats of Foyer's tokens, of encrypted values, and of password hashes. */
const secretPattern =
  /(?<![A-Za-z0-9])[a-z]{1,20}_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])|eyJ[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*){2,4}|\$argon2[a-z]{1,2}\$[^\s"']+/g;
