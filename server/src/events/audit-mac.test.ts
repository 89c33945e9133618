import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AuditEntryContent, canonicalEntry, canonicalJson, createAuditMac, valuesOf } from './audit-mac.ts';

const auditMac = createAuditMac(Buffer.alloc(32, 7));
const entry: AuditEntryContent = {
  id: '0195c0de-0000-7000-8000-000000000001',
  actor_type: 'admin',
  actor_id: '0195c0de-0000-7000-8000-000000000002',
  actor_name: 'root',
  client_id: null,
  client_name: null,
  customer_id: null,
  action: 'room.updated',
  resource_type: 'Room',
  resource_id: '0195c0de-0000-7000-8000-000000000003',
  old_values: { room_name: 'A' },
  new_values: { room_name: 'B' },
  request_id: 'r',
  address: '127.0.0.1',
  occurred_at: '2026-03-10T12:00:00.120000Z',
};

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reverseKeys(member)]),
  );
}

test('the canonical text does not depend on the order of keys, and is different for different values', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const text = canonicalJson(one);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(one)));
      expect(canonicalJson(reverseKeys(one))).toBe(text);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
      if (canonicalJson(other) === text) expect(JSON.parse(JSON.stringify(other))).toEqual(JSON.parse(text));
    }),
  );
});

test('an instant has the same text as input and as read from PostgreSQL', () => {
  const values = valuesOf(entry);
  expect(canonicalEntry({ ...entry, occurred_at: '2026-03-10 12:00:00.12+00' }, values)).toBe(
    canonicalEntry(entry, values),
  );
});

test('the canonical text of an entry and of values is JSON with sorted keys, also for values that JSON converts', () => {
  expect(canonicalEntry(entry, valuesOf(entry))).toBe(canonicalJson(entry));
  const input = { z: new Date(0), b: undefined, a: [undefined, { d: null, c: -0 }], n: Number.NaN };
  expect(canonicalJson(input)).toBe(canonicalJson(JSON.parse(JSON.stringify(input))));
});

test('each member, the number and the key change the MAC', () => {
  const mac = auditMac.entryMac(entry, 3).toString('hex');
  const changedEntries = Object.keys(entry).map((name) =>
    auditMac.entryMac({ ...entry, [name]: name === 'occurred_at' ? '2026-03-10T12:00:00.120001Z' : 'other' }, 3),
  );
  const otherMacs = [
    ...changedEntries,
    auditMac.entryMac(entry, 4),
    createAuditMac(Buffer.alloc(32, 8)).entryMac(entry, 3),
    auditMac.counterMac(entry.id, 3),
  ].map((bytes) => bytes.toString('hex'));
  expect(new Set([mac, ...otherMacs]).size).toBe(otherMacs.length + 1);
});

test('the MAC of a link depends on the previous link, its position, its entry, and the number and MAC of the entry', () => {
  const link = { previousHash: Buffer.alloc(32), sequence: 1, entry, entrySequence: 3, entryMac: Buffer.alloc(32, 1) };
  const macs = [
    link,
    { ...link, previousHash: Buffer.alloc(32, 1) },
    { ...link, sequence: 2 },
    { ...link, entrySequence: 4 },
    { ...link, entryMac: null },
    { ...link, entry: { ...entry, action: 'room.created' } },
  ].map((changedLink) => auditMac.linkMac(changedLink).toString('hex'));
  expect(new Set(macs).size).toBe(macs.length);
});
