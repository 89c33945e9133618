import { encodeUlid } from './bare-identifiers.ts';

export interface RoomRow {
  readonly id: string;
  readonly customer_id: string;
  readonly account_id: string;
  readonly subscription_id: string;
  readonly room_name: string;
  readonly status: string;
  readonly is_public: boolean;
  readonly room_type: string;
  readonly slug: string;
  readonly room_features: unknown;
  readonly room_settings: unknown;
  readonly room_metadata: unknown;
  readonly created_at: string;
  readonly updated_at: string;
}

export function printRoom(row: RoomRow, publicUrl: string, nowMs: number) {
  const text = encodeUlid(row.id);
  const id = `room_${text}`;
  const created = formatInstant(row.created_at);
  const updated = formatInstant(row.updated_at);
  return {
    object: 'Room',
    id,
    uuid: row.id,
    ulid: text,
    customer_id: `cust_${encodeUlid(row.customer_id)}`,
    account_id: `acct_${encodeUlid(row.account_id)}`,
    subscription_id: `sub_${encodeUlid(row.subscription_id)}`,
    room_name: row.room_name,
    status: row.status,
    is_public: row.is_public,
    room_type: row.room_type,
    slug: row.slug,
    url: `${publicUrl}/rooms/${id}/${row.slug}`,
    room_features: row.room_features,
    room_settings: row.room_settings,
    room_metadata: row.room_metadata,
    created_at: created,
    updated_at: updated,
    readable_created_at: formatAge(created, nowMs),
    readable_updated_at: formatAge(updated, nowMs),
  };
}

/** A new token: the values that are generated for it, and its row. */
export interface NewToken {
  readonly id: string;
  readonly roomId: string;
  readonly now: string;
  readonly hash: Buffer;
  readonly sealed: string;
  readonly requestId: string;
  readonly clientIp: string;
  /** Set after the insert. */
  insertedRow: Record<string, unknown> | null;
}

export function printToken(
  newToken: NewToken,
  { token, role, name }: Record<'token' | 'role' | 'name', string>,
  roomUrl: string,
) {
  const row = newToken.insertedRow as unknown as Pick<RoomRow, 'created_at' | 'updated_at'>;
  const text = encodeUlid(newToken.id);
  const nowMs = Date.now();
  const created = formatInstant(row.created_at);
  const updated = formatInstant(row.updated_at);
  return {
    object: 'RoomToken',
    id: `rtok_${text}`,
    uuid: newToken.id,
    ulid: text,
    room_id: `room_${encodeUlid(newToken.roomId)}`,
    token,
    role,
    name,
    email: null,
    url: `${roomUrl}?token=${token}`,
    not_before: null,
    expires_at: null,
    max_uses: null,
    uses: 0,
    user_id: null,
    batch_id: null,
    batch_row: null,
    last_usage: null,
    created_at: created,
    updated_at: updated,
    readable_created_at: formatAge(created, nowMs),
    readable_updated_at: formatAge(updated, nowMs),
  };
}

/** Converts an instant of PostgreSQL, such as `2026-01-02 03:04:05.123+00`. */
function formatInstant(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(6, '0')}Z`;
}

/** Unit, its length, and the age from which it is used, in seconds. As in Foyer, 30 days already count as a month. */
const units = [
  ['year', 365.2425 * 86_400, 365.2425 * 86_400],
  ['month', 30.436875 * 86_400, 30 * 86_400],
  ['week', 604_800, 604_800],
  ['day', 86_400, 86_400],
  ['hour', 3600, 3600],
  ['minute', 60, 60],
] as const;

const format = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

const phrases = new Map<string, string>();

function formatAge(text: string, nowMs: number): string {
  const seconds = Math.trunc((nowMs - Date.parse(text)) / 1000);
  if (seconds <= 0) return 'now';
  const [unit, length] = units.find(([, , minimum]) => seconds >= minimum) ?? (['second', 1] as const);
  const count = Math.max(1, Math.trunc(seconds / length));
  const key = `${unit} ${count}`;
  let phrase = phrases.get(key);
  if (phrase === undefined) phrases.set(key, (phrase = format.format(-count, unit)));
  return phrase;
}
