import { createHash, timingSafeEqual } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify, type JWTVerifyOptions } from 'jose';
import { parseInstant } from '../../platform/time/instant.ts';
import type { Attendance, ProviderEvent, RecordingReady, SignedCall } from '../meet.ts';
import { memberOf, parseJson } from './request/json.ts';
import { checksumAlgorithms } from './request/signed-request.ts';

/**
 * Reads the attendance from the analytics callback: a JSON body, and a JWT signed with the shared secret (HS512).
 * @returns null if the signature is invalid, or the body is malformed or too large
 */
export async function readAttendance(secret: string, call: SignedCall): Promise<Attendance | null> {
  const token = bearerOf(call.authorization);
  if (token === null) return null;
  const payload = await readJwt(secret, token, {
    algorithms: ['HS512'],
    requiredClaims: ['exp'],
    currentDate: new Date(call.nowMs),
    clockTolerance: 3600,
  });
  if (payload === null) return null;
  return countValues(call.body) > maxValues ? null : attendanceOf(parseJson(call.body.toString('utf8')));
}

/**
 * Reads the `signed_parameters` of a recording-ready callback. The token has no expiry, so it only proves that the
 * server signed it at some time. Null without a valid signature.
 */
export async function readRecordingReady(secret: string, signed: string): Promise<RecordingReady | null> {
  if (signed.length > 4096) return null;
  // A Scalelite signs with the algorithm of its checksums.
  const payload = await readJwt(secret, signed, { algorithms: ['HS256', 'HS384', 'HS512'] });
  const { meeting_id: meetingId, record_id: recordingId } = payload ?? {};
  return typeof meetingId === 'string' && typeof recordingId === 'string' ? { meetingId, recordingId } : null;
}

/** Null without a valid signature. */
async function readJwt(secret: string, token: string, options: JWTVerifyOptions): Promise<JWTPayload | null> {
  try {
    return (await jwtVerify(token, new TextEncoder().encode(secret), options)).payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

/**
 * Reads the events of a bbb-webhooks request, which is a form. The server signs it with a checksum of the URL, the
 * raw body and the shared secret, or sends the secret as a bearer token.
 * @returns null if neither is valid
 */
export function readEvents(secret: string, call: SignedCall): ProviderEvent[] | null {
  const bearer = bearerOf(call.authorization);
  const isSigned = bearer === null ? hasValidChecksum(secret, call) : isSame(bearer, secret);
  if (!isSigned) return null;
  const parsed = parseJson(new URLSearchParams(call.body.toString('utf8')).get('event') ?? '');
  return (Array.isArray(parsed) ? parsed : [parsed]).flatMap((event) => eventOf(event) ?? []);
}

/** The length of the checksum identifies the hash algorithm. */
function hasValidChecksum(secret: string, { url, body, checksum }: SignedCall): boolean {
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

/** An upper bound of the number of values, without parsing. */
function countValues(json: Buffer): number {
  let count = 1;
  for (const byte of json) if (byte === comma || byte === bracket || byte === brace) count += 1;
  return count;
}

const [comma, bracket, brace] = Buffer.from(',[{');

function attendanceOf(body: unknown): Attendance | null {
  const data = memberOf(body, 'data');
  const meetingId = memberOf(body, 'meeting_id');
  const internalId = memberOf(body, 'internal_meeting_id');
  const attendees = memberOf(data, 'attendees');
  if (!isIdentifier(meetingId) || !isIdentifier(internalId)) return null;
  if (!Array.isArray(attendees) || attendees.length > maxAttendees) return null;
  return {
    meetingId,
    internalId,
    finishedAtMs: instantMs(memberOf(data, 'finish')),
    attendees: attendees.flatMap((attendee: unknown) => {
      const userId = memberOf(attendee, 'ext_user_id');
      const name = memberOf(attendee, 'name');
      if (typeof userId !== 'string' || userId === '') return [];
      return {
        userId,
        fullName: typeof name === 'string' ? name : '',
        isModerator: memberOf(attendee, 'moderator') === true,
        joinedAtMs: instantsMs(memberOf(attendee, 'joins')),
        leftAtMs: instantsMs(memberOf(attendee, 'leaves')),
      };
    }),
  };
}

function eventOf(event: unknown): ProviderEvent | null {
  const data = memberOf(event, 'data');
  const attributes = memberOf(data, 'attributes');
  const meeting = memberOf(attributes, 'meeting');
  const user = memberOf(attributes, 'user');
  const meetingId = memberOf(meeting, 'external-meeting-id');
  const internalId = memberOf(meeting, 'internal-meeting-id');
  const atMs = Number(memberOf(memberOf(data, 'event'), 'ts'));
  const kind = kinds.get(String(memberOf(data, 'id')));
  if (!kind || !isIdentifier(meetingId) || !isIdentifier(internalId) || !isInstant(atMs)) return null;
  if (kind === 'meeting-ended') return { kind, meetingId, internalId, atMs };
  const userId = memberOf(user, 'external-user-id');
  const fullName = memberOf(user, 'name');
  if (typeof userId !== 'string' || userId === '') return null;
  return {
    kind,
    meetingId,
    internalId,
    atMs,
    userId,
    fullName: typeof fullName === 'string' ? fullName : '',
    isModerator: String(memberOf(user, 'role')).toUpperCase() === 'MODERATOR',
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
