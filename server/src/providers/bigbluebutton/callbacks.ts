import { createHash, timingSafeEqual } from 'node:crypto';
import { errors, jwtVerify } from 'jose';
import { parseInstant } from '../../platform/time/instant.ts';
import type { Attendance, ProviderEvent, SignedCall } from '../meet.ts';
import { checksumAlgorithms } from './request/signed-request.ts';

/**
 * Reads the attendance from the analytics callback: a JSON body, and a JWT signed with the shared secret (HS512).
 * @returns null if the signature is invalid, or the body is malformed or too large
 */
export async function readAttendance(secret: string, call: SignedCall): Promise<Attendance | null> {
  const token = bearerOf(call.authorization);
  if (token === null) return null;
  try {
    await jwtVerify(token, new TextEncoder().encode(secret), {
      algorithms: ['HS512'],
      requiredClaims: ['exp'],
      currentDate: new Date(call.nowMs),
      clockTolerance: 3600,
    });
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
  return countValues(call.body) > maxValues ? null : attendanceOf(parseJson(call.body.toString('utf8')));
}

/**
 * Reads the events of a bbb-webhooks request, which is a form. The server signs it with a checksum of the URL, the
 * raw body and the shared secret, or sends the secret as a bearer token.
 * @returns null if neither is valid
 */
export function readEvents(secret: string, call: SignedCall): ProviderEvent[] | null {
  const bearer = bearerOf(call.authorization);
  const isSigned = bearer === null ? isChecksum(secret, call) : isSame(bearer, secret);
  if (!isSigned) return null;
  const parsed = parseJson(new URLSearchParams(call.body.toString('utf8')).get('event') ?? '');
  return (Array.isArray(parsed) ? parsed : [parsed]).flatMap((event) => eventOf(event) ?? []);
}

/** The length of the checksum identifies the hash algorithm. */
function isChecksum(secret: string, { url, body, checksum }: SignedCall): boolean {
  const algorithm = checksumAlgorithms.find((name) => digestLengths[name] === checksum?.length);
  if (!algorithm || !checksum) return false;
  const expected = createHash(algorithm).update(url).update(body).update(secret).digest('hex');
  return isSame(checksum.toLowerCase(), expected);
}

const digestLengths = { sha1: 40, sha256: 64, sha384: 96, sha512: 128 } as const;

function isSame(signature: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(signature), digest(expected));
}

function bearerOf(authorization: string | undefined): string | null {
  return /^bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1] ?? null;
}

/** More people than any meeting has. */
const maxAttendees = 20_000;

/** About 3,000 attendees. `JSON.parse` is synchronous: more would block the event loop for over 100 ms. */
const maxValues = 100_000;

/** How many values there are at most, without parsing. */
function countValues(json: Buffer): number {
  let count = 1;
  for (const byte of json) if (byte === comma || byte === bracket || byte === brace) count += 1;
  return count;
}

const [comma, bracket, brace] = Buffer.from(',[{');

function attendanceOf(body: unknown): Attendance | null {
  const data = member(body, 'data');
  const meetingId = member(body, 'meeting_id');
  const internalId = member(body, 'internal_meeting_id');
  const attendees = member(data, 'attendees');
  if (!isIdentifier(meetingId) || !isIdentifier(internalId)) return null;
  if (!Array.isArray(attendees) || attendees.length > maxAttendees) return null;
  return {
    meetingId,
    internalId,
    finishedAtMs: instantMs(member(data, 'finish')),
    attendees: attendees.flatMap((attendee: unknown) => {
      const userId = member(attendee, 'ext_user_id');
      const name = member(attendee, 'name');
      if (typeof userId !== 'string' || userId === '') return [];
      return {
        userId,
        fullName: typeof name === 'string' ? name : '',
        isModerator: member(attendee, 'moderator') === true,
        joinedAtMs: instantsMs(member(attendee, 'joins')),
        leftAtMs: instantsMs(member(attendee, 'leaves')),
      };
    }),
  };
}

function eventOf(event: unknown): ProviderEvent | null {
  const data = member(event, 'data');
  const attributes = member(data, 'attributes');
  const meeting = member(attributes, 'meeting');
  const user = member(attributes, 'user');
  const meetingId = member(meeting, 'external-meeting-id');
  const internalId = member(meeting, 'internal-meeting-id');
  const at = Number(member(member(data, 'event'), 'ts'));
  const kind = kinds.get(String(member(data, 'id')));
  if (!kind || !isIdentifier(meetingId) || !isIdentifier(internalId) || !isInstant(at)) return null;
  if (kind === 'meeting-ended') return { kind, meetingId, internalId, atMs: at };
  const userId = member(user, 'external-user-id');
  const fullName = member(user, 'name');
  if (typeof userId !== 'string' || userId === '') return null;
  return {
    kind,
    meetingId,
    internalId,
    atMs: at,
    userId,
    fullName: typeof fullName === 'string' ? fullName : '',
    isModerator: String(member(user, 'role')).toUpperCase() === 'MODERATOR',
  };
}

const kinds = new Map<string, ProviderEvent['kind']>([
  ['user-joined', 'joined'],
  ['user-left', 'left'],
  ['meeting-ended', 'meeting-ended'],
]);

/** The bbb-webhooks events that Foyer subscribes to. */
export const eventNames = [...kinds.keys()];

function instantsMs(list: unknown): number[] {
  return Array.isArray(list) ? list.slice(0, 1000).flatMap((item: unknown) => instantMs(item) ?? []) : [];
}

/** `2026-03-10 12:00:00 +0000`, ISO 8601, or milliseconds since 1970. */
function instantMs(value: unknown): number | null {
  if (typeof value === 'number') return isInstant(value) ? value : null;
  if (typeof value !== 'string') return null;
  const instant = parseInstant(
    value
      .trim()
      .replace(/ (?=[+-]\d)| (?=UTC$)/, '')
      .replace(/UTC$/, 'Z'),
  );
  return instant === null ? null : Date.parse(instant);
}

/** PostgreSQL rejects NUL characters in text. */
function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 256 && !value.includes('\0');
}

function isInstant(ms: number): boolean {
  return Number.isFinite(ms) && ms > 0 && ms < 253_402_300_800_000;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
