import { createCipheriv, randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { RecordedRequest, Value } from '../measure/recorded-requests.ts';
import type { NewToken } from './bare-resources.ts';

const uuidShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Generates the statement values of a new request: random and time values are replaced, others are kept. */
export function compileValues(
  { statements, answer }: RecordedRequest,
  roomId: string,
): (index: number, newToken: NewToken) => readonly unknown[] {
  const { uuid, created_at: now } = JSON.parse(answer).data as { uuid: string; created_at: string };
  const fillers = statements.map(({ values }) => values.map((value) => createFiller(value, { uuid, now, roomId })));
  return (index, newToken) => (fillers[index] ?? []).map((fill) => fill(newToken));
}

function createFiller(
  value: Value,
  recorded: { uuid: string; now: string; roomId: string },
): (newToken: NewToken) => unknown {
  if (typeof value === 'object' && value !== null) return (newToken) => newToken.hash;
  if (typeof value !== 'string') return () => value;
  if (value === recorded.uuid) return (newToken) => newToken.id;
  if (value === recorded.roomId) return (newToken) => newToken.roomId;
  if (value === recorded.now) return (newToken) => newToken.now;
  if (value === '127.0.0.1') return (newToken) => newToken.clientIp;
  if (value.startsWith('eyJ')) return (newToken) => newToken.sealed;
  if (value.startsWith('{')) {
    return (newToken) => JSON.stringify({ ...newToken.insertedRow, token_hash: '********', token_sealed: '********' });
  }
  // UUIDv7 values near the recorded time are event ids, UUIDv4 values are request ids. Others stay.
  if (uuidShape.test(value) && value.charAt(14) === '7' && isRecent(value, recorded.now)) return () => v7();
  if (uuidShape.test(value) && value.charAt(14) === '4') return (newToken) => newToken.requestId;
  return () => value;
}

function isRecent(uuid: string, now: string): boolean {
  const ms = Number.parseInt(uuid.replace('-', '').slice(0, 12), 16);
  return Math.abs(ms - Date.parse(now)) < 1000;
}

export interface SecretKey {
  readonly id: string;
  readonly base64: string;
}

/** Encrypts with AES-256-GCM, as Foyer's secret box does. `context` is part of the associated data. */
export function seal(text: string, context: string, key: SecretKey): string {
  const header = Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid: key.id, ctx: context })).toString(
    'base64url',
  );
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key.base64, 'base64'), iv);
  cipher.setAAD(Buffer.from(header));
  const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
  const [encodedIv, encodedText, tag] = [iv, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url'));
  return `${header}..${encodedIv}.${encodedText}.${tag}`;
}
