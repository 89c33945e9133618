import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { loadAuditMac, parseHead, verifyAudit } from '../src/modules/audit/index.ts';
import { sealEntries } from '../src/modules/audit/seal-entries.ts';
import { printIdentifier } from '../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from './api.ts';
import { makeRoom } from './factories.ts';

/** The attacker can write any row with triggers disabled, but does not have the MAC key. */

let api: TestApi;
/** The audit entries of one room in order; the first five are sealed, the others are still queued. */
let entries: { id: string; uuid: string }[];
let room: { id: string; uuid: string };
let otherRoom: { id: string; uuid: string };

const tables = ['audit_entries', 'audit_seals', 'audit_unsealed', 'audit_heads', 'event_sequences', 'events'];

beforeAll(async () => {
  api = await startApi();
  ({ room } = await makeRoom(api));
  ({ room: otherRoom } = await makeRoom(api));
  for (let index = 0; index < 4; index++) await rename(`Sealed ${index}`);
  await seal();
  for (let index = 0; index < 4; index++) await rename(`Fresh ${index}`);
  const { rows } = await query('select id from audit_entries where resource_id = $1 order by sequence', [room.uuid]);
  entries = rows.map(({ id }) => ({ id: printIdentifier('audit', String(id)), uuid: String(id) }));
  for (const table of tables) await query(`create table untouched_${table} as table ${table}`);
});
afterAll(() => api.close());

beforeEach(async () => {
  await asSuperuser(
    tables.map((table) => `truncate ${table}; insert into ${table} select * from untouched_${table}`).join(';'),
  );
});

async function rename(name: string): Promise<void> {
  await api.admin.updateRoom({ params: { room_id: room.id }, body: { room_name: name } });
}

async function seal(): Promise<number> {
  return await sealEntries(api.app.dependencies.db, api.app.dependencies.auditMac);
}

async function query(text: string, values: unknown[] = []) {
  return await api.app.connection.pool.query<Record<string, unknown>>(text, values);
}

async function asSuperuser(statements: string): Promise<void> {
  const client = await api.app.connection.pool.connect();
  try {
    await client.query(`set session_replication_role = replica; ${statements}; reset session_replication_role`);
  } finally {
    client.release();
  }
}

/** Verifies the log, and returns each finding as `subject: tampering`. */
async function verifyLog(since?: string): Promise<string[]> {
  const texts: string[] = [];
  const { findings: count } = await verifyAudit(
    api.app.dependencies,
    ({ subject, tampering }) => texts.push(`${subject}: ${tampering}`),
    since === undefined ? null : parseHead(since),
  );
  expect(count).toBe(texts.length);
  return texts;
}

async function readHead(): Promise<string> {
  return (await verifyAudit(api.app.dependencies, () => undefined)).head;
}

function entryAt(index: number): { id: string; uuid: string } {
  const entry = entries.at(index);
  if (!entry) throw new Error('There is no such entry.');
  return entry;
}

const sealedIndex = 1;
const queuedIndex = -2;
const entriesByAge = [
  ['sealed', sealedIndex],
  ['queued', queuedIndex],
] as const;

test('an unaltered log passes every verification, also after new entries', async () => {
  expect(entries).toHaveLength(9);
  expect(await verifyLog()).toEqual([]);
  await rename('One more');
  expect(await verifyLog()).toEqual([]);
  expect(await verifyLog()).toEqual([]);
});

const columns: readonly (readonly [string, string])[] = [
  ['actor_type', "'system'"],
  ['actor_id', 'gen_random_uuid()'],
  ['actor_name', "'somebody else'"],
  ['client_id', 'null'],
  ['client_name', "'Another client'"],
  ['customer_id', 'gen_random_uuid()'],
  ['action', "'room.created'"],
  ['resource_type', "'Account'"],
  ['old_values', `'{"room_name": "Another"}'`],
  ['new_values', 'new_values || \'{"more": 1}\''],
  ['request_id', "'another-request'"],
  ['address', "'192.0.2.1'"],
  ['occurred_at', "occurred_at + interval '1 microsecond'"],
  ['mac', "sha256('another')"],
];

for (const [age, index] of entriesByAge) {
  for (const [column, value] of columns) {
    test(`a changed ${column} of a ${age} entry is detected, naming the entry`, async () => {
      await asSuperuser(`update audit_entries set ${column} = ${value} where id = '${entryAt(index).uuid}'`);
      expect(await verifyLog()).toEqual([`${entryAt(index).id}: altered`]);
    });
  }

  test(`a ${age} entry moved to another resource is detected`, async () => {
    await asSuperuser(`update audit_entries set resource_id = '${otherRoom.uuid}' where id = '${entryAt(index).uuid}'`);
    const reported = await verifyLog();
    expect(reported).toContainEqual(expect.stringMatching(new RegExp(`^${entryAt(index).id}: (altered|forged)$`)));
    expect(reported).toContain(`${room.id}: removed`);
  });

  test(`a changed id of a ${age} entry is detected`, async () => {
    await asSuperuser(`update audit_entries set id = gen_random_uuid() where id = '${entryAt(index).uuid}'`);
    const reported = await verifyLog();
    expect(reported).toContain(`${entryAt(index).id}: removed`);
    expect(reported).toHaveLength(2);
  });

  test(`two swapped ${age} entries are detected, naming both`, async () => {
    const [one, other] = [entryAt(index), entryAt(index + 1)];
    await asSuperuser(`
      create temp table swapped as select id, sequence from audit_entries;
      update audit_entries e set sequence = s.sequence from swapped s
      where (e.id, s.id) in (('${one.uuid}', '${other.uuid}'), ('${other.uuid}', '${one.uuid}'));
      drop table swapped`);
    expect((await verifyLog()).toSorted()).toEqual([`${one.id}: reordered`, `${other.id}: reordered`].toSorted());
  });

  test(`the swapped contents of two ${age} entries are detected, naming both`, async () => {
    const [one, other] = [entryAt(index), entryAt(index + 1)];
    await asSuperuser(`
      create temp table swapped as select id, old_values, new_values, occurred_at, request_id from audit_entries;
      update audit_entries e
      set old_values = s.old_values, new_values = s.new_values, occurred_at = s.occurred_at, request_id = s.request_id
      from swapped s where (e.id, s.id) in (('${one.uuid}', '${other.uuid}'), ('${other.uuid}', '${one.uuid}'));
      drop table swapped`);
    expect((await verifyLog()).toSorted()).toEqual([`${one.id}: altered`, `${other.id}: altered`].toSorted());
  });
}

test('two swapped links of the chain are detected, naming both entries', async () => {
  const [one, other] = [entryAt(1), entryAt(2)];
  await asSuperuser(`
    create temp table swapped as select * from audit_seals where entry_id in ('${one.uuid}', '${other.uuid}');
    delete from audit_seals where sequence in (select sequence from swapped);
    insert into audit_seals select a.sequence, b.entry_id, a.hash from swapped a join swapped b on a.sequence <> b.sequence;
    drop table swapped`);
  expect((await verifyLog()).toSorted()).toEqual([`${one.id}: reordered`, `${other.id}: reordered`].toSorted());
});

for (const [position, index] of [
  ['first', 0],
  ['middle', 2],
  ['last sealed', 4],
  ['first queued', 5],
  ['middle queued', 6],
  ['last', -1],
] as const) {
  test(`deleting the ${position} entry is detected, naming it`, async () => {
    await asSuperuser(`delete from audit_entries where id = '${entryAt(index).uuid}'`);
    expect((await verifyLog()).toSorted()).toEqual([`${entryAt(index).id}: removed`, `${room.id}: removed`].toSorted());
  });

  test(`deleting the ${position} entry with its link or queue row is detected`, async () => {
    await asSuperuser(`
      delete from audit_entries where id = '${entryAt(index).uuid}';
      delete from audit_seals where entry_id = '${entryAt(index).uuid}';
      delete from audit_unsealed where entry_id = '${entryAt(index).uuid}'`);
    expect(await verifyLog()).toContain(`${room.id}: removed`);
  });
}

test('deleting the last entry with its link, event and counter value is detected', async () => {
  await asSuperuser(`
    delete from audit_entries where id = '${entryAt(-1).uuid}';
    delete from audit_unsealed where entry_id = '${entryAt(-1).uuid}';
    delete from events where resource_id = '${room.uuid}' and sequence = 9;
    update event_sequences set last = last - 1 where resource_id = '${room.uuid}'`);
  expect(await verifyLog()).toEqual([`${room.id}: altered`]);
});

test('deleting all entries of a resource with its counter is detected by the chain', async () => {
  await asSuperuser(`
    delete from audit_entries where resource_id = '${room.uuid}';
    delete from event_sequences where resource_id = '${room.uuid}'`);
  expect((await verifyLog()).toSorted()).toEqual(entries.map(({ id }) => `${id}: removed`).toSorted());
});

test('deleting a sequence counter is detected', async () => {
  await asSuperuser(`delete from event_sequences where resource_id = '${room.uuid}'`);
  expect(await verifyLog()).toEqual([`${room.id}: removed`]);
});

const forgedCopy = (members: string) => `
  insert into audit_entries (id, actor_type, actor_name, action, resource_type, resource_id, sequence, occurred_at, mac)
  select ${members} from audit_entries where id = '`;

test('a forged entry with a duplicate, a new or no sequence number is detected', async () => {
  for (const [sequence, mac] of [
    ['sequence', 'mac'],
    ['99', 'mac'],
    ['sequence', "sha256('guess')"],
    ['null', 'null'],
    ['99', 'null'],
  ] as const) {
    await asSuperuser(`
      ${forgedCopy(`'0195c0de-0000-7000-8000-00000000f00d', actor_type, 'forger', action, resource_type, resource_id, ${sequence}, occurred_at, ${mac}`)}${entryAt(2).uuid}'`);
    const reported = await verifyLog();
    expect(reported).toContain(`${printIdentifier('audit', '0195c0de-0000-7000-8000-00000000f00d')}: forged`);
    await asSuperuser(`delete from audit_entries where id = '0195c0de-0000-7000-8000-00000000f00d'`);
  }
});

test('a forged entry is still detected after it has been sealed', async () => {
  await asSuperuser(`
    ${forgedCopy(`'0195c0de-0000-7000-8000-00000000f00d', actor_type, 'forger', action, resource_type, resource_id, 10, occurred_at, mac`)}${entryAt(2).uuid}';
    insert into audit_unsealed values ('0195c0de-0000-7000-8000-00000000f00d')`);
  const id = printIdentifier('audit', '0195c0de-0000-7000-8000-00000000f00d');
  expect(await verifyLog()).toContain(`${id}: forged`);
  expect(await verifyLog()).toContain(`${id}: forged`);
});

test('a forged entry that replaces a deleted one is detected', async () => {
  await asSuperuser(`
    ${forgedCopy(`'0195c0de-0000-7000-8000-00000000f00d', actor_type, 'forger', action, resource_type, resource_id, sequence, occurred_at, mac`)}${entryAt(2).uuid}';
    delete from audit_entries where id = '${entryAt(2).uuid}';
    update audit_seals set entry_id = '0195c0de-0000-7000-8000-00000000f00d' where entry_id = '${entryAt(2).uuid}'`);
  expect(await verifyLog()).toEqual([`${printIdentifier('audit', '0195c0de-0000-7000-8000-00000000f00d')}: altered`]);
});

test('a truncated chain is detected, with the entries that it no longer contains', async () => {
  await asSuperuser(`
    delete from audit_unsealed;
    delete from audit_entries where not exists (select from audit_seals where entry_id = id);
    delete from audit_seals where entry_id in ('${entryAt(3).uuid}', '${entryAt(4).uuid}')`);
  const reported = await verifyLog();
  expect(reported).toContain('the chain: cut');
  expect(reported).toContain(`${entryAt(3).id}: cut`);
  expect(reported).toContain(`${entryAt(4).id}: cut`);
});

test('a truncated chain is still detected after it has grown again', async () => {
  await asSuperuser(`delete from audit_seals where entry_id in ('${entryAt(3).uuid}', '${entryAt(4).uuid}')`);
  const reported = await verifyLog();
  expect(reported).toContainEqual(expect.stringMatching(/^links \d+ to \d+: removed$/));
  expect(reported).toContain(`${entryAt(3).id}: cut`);
});

test('a chain truncated together with its head is detected, and no entry is sealed after it', async () => {
  const { rows } = await query('select sequence::int from audit_heads');
  const end = Number(rows[0]?.['sequence']) - 2;
  await asSuperuser(`
    delete from audit_seals where sequence > ${end};
    update audit_heads set sequence = ${end}, hash = (select hash from audit_seals where sequence = ${end})`);
  expect(await verifyLog()).toContain('the head: forged');
  await expect(seal()).rejects.toThrow('tampered with');
  const links = await query('select max(sequence)::int as last from audit_seals');
  expect(links.rows).toEqual([{ last: end }]);
});

test('a deleted head and links after the head are detected', async () => {
  await asSuperuser('delete from audit_heads');
  expect(await verifyLog()).toContain('the head: removed');
  await asSuperuser(`insert into audit_heads select * from untouched_audit_heads`);
  await seal();
  await asSuperuser(
    `insert into audit_seals select max(sequence) + 1, gen_random_uuid(), sha256('any') from audit_seals`,
  );
  await rename('While the chain is too long');
  expect(await verifyLog()).toContain('the chain: forged');
  await expect(seal()).rejects.toThrow('tampered with');
});

test('a sealed entry that is queued again is not sealed twice', async () => {
  await asSuperuser(`insert into audit_unsealed values ('${entryAt(sealedIndex).uuid}')`);
  await rename('After that');
  expect(await verifyLog()).toEqual([]);
});

test('an entry removed from the queue before it was sealed is detected', async () => {
  await asSuperuser(`delete from audit_unsealed where entry_id = '${entryAt(queuedIndex).uuid}'`);
  expect(await verifyLog()).toEqual([`${entryAt(queuedIndex).id}: cut`]);
});

test('a stored head is accepted in the grown chain and rejected in a log restored to an older state', async () => {
  const storedHead = await readHead();
  await rename('Later');
  const laterHead = await readHead();
  expect(laterHead).not.toBe(storedHead);
  expect(await verifyLog(storedHead)).toEqual([]);
  expect(await verifyLog(laterHead)).toEqual([]);
  expect(await verifyLog(laterHead.replace(/:.{4}/, ':0000'))).toEqual([`link ${laterHead.split(':')[0]}: forged`]);
  await asSuperuser(
    tables.map((table) => `truncate ${table}; insert into ${table} select * from untouched_${table}`).join(';'),
  );
  expect(await verifyLog()).toEqual([]);
  expect(await verifyLog(laterHead)).toEqual([`link ${laterHead.split(':')[0]}: cut`]);
});

test('the platform itself cannot change, delete or truncate entries and links', async () => {
  for (const table of ['audit_entries', 'audit_seals']) {
    for (const statement of [
      `update ${table} set ${table === 'audit_seals' ? 'hash = hash' : 'id = id'}`,
      `delete from ${table}`,
      `truncate ${table}`,
    ]) {
      await expect(query(statement)).rejects.toThrow(/The audit log is append-only: \w+ of audit_\w+ is refused/);
    }
  }
});

test('no process starts without the MAC key of the log', async () => {
  const { db, secretBox } = api.app.dependencies;
  const { rows } = await query('select sealed from audit_keys');
  await asSuperuser(
    "delete from audit_keys; truncate audit_entries, audit_seals, audit_unsealed; update audit_heads set sequence = 0, hash = decode(repeat('00', 32), 'hex'), entries_before = 0, mac = null",
  );
  await expect(loadAuditMac(db, secretBox)).rejects.toThrow(/key of the audit log is missing/);
  expect((await query('select mac from audit_heads')).rows).toEqual([{ mac: null }]);
  expect(await verifyLog()).not.toEqual([]);
  await query('insert into audit_keys (sealed, created_at) values ($1, now())', [rows[0]?.['sealed']]);
  await loadAuditMac(db, secretBox);
});
