import type { Client } from '@foyer/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorker } from '../src/worker.ts';
import { startApi, type TestApi } from './api.ts';
import { makeHolder } from './administrators.ts';
import { makeRoom, refusalOf } from './factories.ts';
import { runJob } from '../src/modules.ts';

let api: TestApi;
let bearer: string;

beforeAll(async () => {
  api = await startApi();
  const login = { username: 'root', password: 'a long enough password' };
  ({ access_token: bearer } = await api.anyone.loginAdmin({ body: login }));
});

afterAll(() => api.close());

const tokenRights = ['read-customer', 'read-account', 'read-room', 'manage-tokens'] as const;

type Row = { role: 'moderator' | 'attendee' | 'guest'; [member: string]: unknown };

async function createTestRoom() {
  const fixture = await makeRoom(api);
  return { ...fixture, params: { room_id: fixture.room.id } };
}

type Room = Awaited<ReturnType<typeof createTestRoom>>;

async function makeTokens(node: TestApi = api): Promise<void> {
  await runJob(node.app.dependencies, 'make-room-tokens');
}

function requestBatch({ params }: Pick<Room, 'params'>, tokens: readonly Row[]) {
  return api.admin.createRoomTokenBatch({ params, body: { tokens: tokens as never } });
}

/** Sends the raw body with the content type. */
async function post({ params }: Pick<Room, 'params'>, type: string, body: string) {
  const answer = await fetch(`${api.url}/api/v1/rooms/${params.room_id}/token-batches`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': type },
    body,
  });
  return {
    status: answer.status,
    body: (await answer.json()) as { data?: { id: string }; errors?: object; code?: string },
  };
}

async function read({ params }: Pick<Room, 'params'>, { id }: { id: string }) {
  return (await api.admin.readRoomTokenBatch({ params: { ...params, batch_id: id } })).data;
}

async function tokensOf({ params }: Pick<Room, 'params'>, { id }: { id: string }) {
  return (await api.admin.listRoomTokenBatchTokens({ params: { ...params, batch_id: id }, query: { limit: 0 } })).data;
}

async function csvOf({ params }: Pick<Room, 'params'>, { id }: { id: string }) {
  const { fileName, body } = await api.admin.csv('listRoomTokenBatchTokens', { params: { ...params, batch_id: id } });
  return { fileName, lines: (await new Response(body).text()).trimEnd().split('\r\n') };
}

async function countTokens({ params }: Pick<Room, 'params'>): Promise<number | undefined> {
  return (await api.admin.listRoomTokens({ params, query: { limit: 1, skipCache: true } })).meta.pagination?.total;
}

describe('a batch of tokens', () => {
  test('is queued, shows its progress, and creates a token per row in the order of the rows', async () => {
    const room = await createTestRoom();
    const { data: batch } = await api.admin.createRoomTokenBatch({
      params: room.params,
      body: {
        name: 'Exam',
        tokens: [
          { role: 'moderator', name: 'Teacher' },
          { role: 'attendee', name: 'Ada', not_before: '2026-04-01', expires_at: '2026-04-02', max_uses: 2 },
          { role: 'guest' },
        ],
      },
    });
    expect(batch).toMatchObject({
      object: 'RoomTokenBatch',
      room_id: room.room.id,
      name: 'Exam',
      status: 'waiting',
      total: 3,
      made: 0,
      failed: 0,
      progress: 0,
      failures: [],
      finished_at: null,
    });
    expect(await tokensOf(room, batch)).toEqual([]);
    await makeTokens();
    const done = await read(room, batch);
    expect(done).toMatchObject({ status: 'done', made: 3, failed: 0, progress: 100 });
    expect(done.finished_at).not.toBeNull();
    const tokens = await tokensOf(room, batch);
    expect(tokens.map(({ role, name, batch_row: row, batch_id: id }) => [role, name, row, id])).toEqual([
      ['moderator', 'Teacher', 0, batch.id],
      ['attendee', 'Ada', 1, batch.id],
      ['guest', null, 2, batch.id],
    ]);
    expect(tokens[1]).toMatchObject({
      not_before: '2026-04-01T00:00:00.000000Z',
      expires_at: '2026-04-02T00:00:00.000000Z',
      max_uses: 2,
      uses: 0,
    });
    expect(new Set(tokens.map(({ token }) => token)).size).toBe(3);
    expect((await fetch(tokens[0]?.url ?? '', { redirect: 'manual' })).status).toBe(200);
    const { data: searched } = await api.admin.listRoomTokens({
      params: room.params,
      query: { search: `batch_id:${batch.id}`, orderBy: 'batch_row', sortedBy: 'desc' },
    });
    expect(searched.map(({ batch_row: row }) => row)).toEqual([2, 1, 0]);
  });

  test('records an event and an audit entry per token, with the requester as the actor', async () => {
    const room = await createTestRoom();
    const { data: batch } = await requestBatch(room, [{ role: 'guest' }, { role: 'guest' }]);
    await makeTokens();
    const { rows: eventRows } = await api.app.connection.pool.query<{ name: string }>(
      'select name from events where resource_id = $1 order by sequence',
      [batch.uuid],
    );
    expect(eventRows.map(({ name }) => name)).toEqual(['room_token_batch.created', 'room_token_batch.done']);
    const { data: events } = await api.admin.listEvents({ query: { search: `resource_id:${batch.id}` } });
    expect(events[0]?.previous).toEqual({ status: 'waiting', made: 0, progress: 0, finished_at: null });
    const [token] = await tokensOf(room, batch);
    const { rows } = await api.app.connection.pool.query<{ action: string; actor_name: string; new_values: object }>(
      'select action, actor_name, new_values from audit_entries where resource_id = $1',
      [token?.uuid],
    );
    expect(rows).toMatchObject([{ action: 'room_token.created', actor_name: 'root' }]);
    expect(JSON.stringify(rows)).not.toContain(token?.token);
  });

  test('can have ten thousand rows, but not more', { timeout: 120_000 }, async () => {
    const room = await createTestRoom();
    const rows = Array.from({ length: 10_001 }, (_, n): Row => ({ role: 'guest', name: `Guest ${n}` }));
    const refusal = await refusalOf(requestBatch(room, rows));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['tokens']]);
    const { data: batch } = await requestBatch(room, rows.slice(0, 10_000));
    await makeTokens();
    expect(await read(room, batch)).toMatchObject({ status: 'done', made: 10_000, progress: 100 });
    const { lines } = await csvOf(room, batch);
    expect(lines).toHaveLength(10_001);
    expect(lines[10_000]).toContain('Guest 9999');
    expect(new Set(lines.slice(1).map((line) => line.split(',')[4])).size).toBe(10_000);
  });

  test('creates one token per row with any number of workers and interruptions', async () => {
    const room = await createTestRoom();
    const { data: batch } = await requestBatch(
      room,
      Array.from({ length: 1200 }, (_, n): Row => ({ role: 'guest', name: String(n) })),
    );
    const { pool } = api.app.connection;
    await pool.query(`create function stop_here() returns trigger language plpgsql as $$
      begin raise exception 'stopped in the middle'; end $$`);
    await pool.query(`create trigger stop_here before insert on room_tokens for each row
      when (new.name = '600') execute function stop_here()`);
    await expect(makeTokens()).rejects.toThrow('stopped in the middle');
    expect(await read(room, batch)).toMatchObject({ status: 'running', made: 500, progress: 41 });
    expect(await tokensOf(room, batch)).toHaveLength(500);
    await pool.query('drop trigger stop_here on room_tokens');
    const other = await api.another();
    await Promise.all([makeTokens(), makeTokens(other), makeTokens(), makeTokens(other)]);
    expect(await read(room, batch)).toMatchObject({ status: 'done', made: 1200, failed: 0 });
    const tokens = await tokensOf(room, batch);
    expect(tokens.map(({ name }) => name)).toEqual(Array.from({ length: 1200 }, (_, n) => String(n)));
    await other.close();
  });

  test('reports rows whose user was deleted before they were processed', async () => {
    const room = await createTestRoom();
    const { data: member } = await api.admin.createCustomerUser({
      params: { customer_id: room.customer.id },
      body: { email: 'gone@example.com', first_name: 'Gone', last_name: 'Soon', permissions: ['read-customer'] },
    });
    const { data: batch } = await requestBatch(room, [
      { role: 'guest', user_id: member.user_id },
      { role: 'guest', name: 'Stays' },
    ]);
    await api.admin.deleteUser({ params: { user_id: member.user_id } });
    await makeTokens();
    expect(await read(room, batch)).toMatchObject({
      status: 'done',
      made: 1,
      failed: 1,
      failures: [{ row: 0, message: 'The selected user id is invalid.' }],
    });
    expect((await tokensOf(room, batch)).map(({ batch_row: row, name }) => [row, name])).toEqual([[1, 'Stays']]);
  });

  test('can be deleted with its tokens, and then creates no more tokens', async () => {
    const room = await createTestRoom();
    const otherToken = (await api.admin.createRoomToken({ params: room.params, body: { role: 'guest' } })).data;
    const { data: created } = await requestBatch(room, [{ role: 'guest' }, { role: 'guest' }]);
    await makeTokens();
    const [token] = await tokensOf(room, created);
    const { data: waiting } = await requestBatch(room, [{ role: 'guest' }]);
    for (const { id } of [created, waiting])
      await api.admin.deleteRoomTokenBatch({ params: { ...room.params, batch_id: id } });
    await makeTokens();
    expect((await api.admin.listRoomTokens({ params: room.params })).data.map(({ id }) => id)).toEqual([otherToken.id]);
    expect((await refusalOf(read(room, created))).status).toBe(404);
    const { rows } = await api.app.connection.pool.query<{ name: string }>(
      'select name from events where resource_id = $1 order by sequence',
      [token?.uuid],
    );
    expect(rows.map(({ name }) => name)).toEqual(['room_token.created', 'room_token.deleted']);
  });

  test('is deleted with its room, and is not found below another room', async () => {
    const [room, other] = [await createTestRoom(), await createTestRoom()];
    const { data: batch } = await requestBatch(room, [{ role: 'guest' }]);
    const params = { ...other.params, batch_id: batch.id };
    const calls = [
      api.admin.readRoomTokenBatch({ params }),
      api.admin.deleteRoomTokenBatch({ params }),
      api.admin.listRoomTokenBatchTokens({ params }),
    ];
    for (const refusal of await Promise.all(calls.map(refusalOf))) expect(refusal.status).toBe(404);
    await api.admin.deleteRoom({ params: room.params });
    await makeTokens();
    expect((await refusalOf(read(room, batch))).status).toBe(404);
  });

  test('is processed immediately if a worker is running', async () => {
    const room = await createTestRoom();
    const runner = await startWorker(api.app);
    try {
      const { data: batch } = await requestBatch(room, [{ role: 'guest' }]);
      await expect.poll(async () => (await read(room, batch)).status).toBe('done');
    } finally {
      await runner.stop();
    }
  });

  test('is created once per Idempotency-Key', async () => {
    const room = await createTestRoom();
    const createBatch = () =>
      api.admin.createRoomTokenBatch({
        params: room.params,
        body: { tokens: [{ role: 'guest' }] },
        idempotencyKey: 'tokens-1',
      });
    expect((await createBatch()).data.id).toBe((await createBatch()).data.id);
    await makeTokens();
    expect(await countTokens(room)).toBe(1);
  });
});

describe('invalid rows', () => {
  test('are counted, and the errors of the first hundred fields are listed', async () => {
    const room = await createTestRoom();
    const row = { role: 'king', name: 'x'.repeat(151), max_uses: 0, not_before: 'never', expires_at: 'later' };
    const lines = ['role,name,max_uses,not_before,expires_at', ...Array(10_000).fill(Object.values(row).join(','))];
    const refusals = [
      await refusalOf(
        requestBatch(
          room,
          Array.from({ length: 10_000 }, () => row as never),
        ),
      ),
      await refusalOf(api.admin.createRoomTokenBatch({ params: room.params, body: { csv: lines.join('\n') } })),
    ];
    for (const { status, message, errors } of refusals) {
      expect([status, Object.keys(errors).length]).toEqual([422, 100]);
      expect(Object.keys(errors)).toContain('tokens.19.role');
      expect(message).toMatch(/\(and 49999 more errors\)$/);
    }
    const contradictoryRow = { role: 'guest', not_before: '2027-01-02', expires_at: '2027-01-01' } as const;
    const late = await refusalOf(
      requestBatch(
        room,
        Array.from({ length: 10_000 }, () => contradictoryRow),
      ),
    );
    expect([late.status, Object.keys(late.errors).length]).toEqual([422, 100]);
    expect(late.message).toMatch(/\(and 9999 more errors\)$/);
    expect(await countTokens(room)).toBe(0);
  });

  test('are all reported by their position, and no token is created', async () => {
    const room = await createTestRoom();
    const rows: Row[] = Array.from({ length: 20 }, () => ({ role: 'guest' }));
    rows[3] = { role: 'guest', name: 'x'.repeat(151) };
    rows[17] = { role: 'king' as 'guest', max_uses: 0 };
    const refusal = await refusalOf(requestBatch(room, rows));
    expect([refusal.status, Object.keys(refusal.errors).toSorted()]).toEqual([
      422,
      ['tokens.17.max_uses', 'tokens.17.role', 'tokens.3.name'],
    ]);
    const later = await refusalOf(
      requestBatch(room, [
        { role: 'guest', user_id: 'user_01jd0000000000000000000000' },
        { role: 'guest' },
        { role: 'guest', not_before: '2026-05-01', expires_at: '2026-04-01' },
      ]),
    );
    expect(Object.keys(later.errors)).toEqual(['tokens.0.user_id', 'tokens.2.not_before']);
    await makeTokens();
    expect(await countTokens(room)).toBe(0);
    expect((await api.admin.listRoomTokenBatches({ params: room.params })).data).toEqual([]);
  });

  test('get the same error for the email of a user whom the requester may not see as for an unknown email', async () => {
    const [room, otherRoom] = [await createTestRoom(), await createTestRoom()];
    const password = 'a school for everybody';
    const member = async ({ customer }: Room, email: string) =>
      (
        await api.admin.createCustomerUser({
          params: { customer_id: customer.id },
          body: { email, first_name: 'A', last_name: 'B', password, permissions: [...tokenRights] },
        })
      ).data;
    const ownMember = await member(room, 'Own@school.example');
    await member(otherRoom, 'other@school.example');
    const { access_token: token } = await api.anyone.loginUser({ body: { username: 'own@school.example', password } });
    const user = api.clientWith(token);
    const emails = ['OWN@school.example', 'other@school.example', 'nobody@school.example'];
    const requestBatchAs = (client: Client, addresses: readonly string[]) =>
      client.createRoomTokenBatch({
        params: room.params,
        body: { csv: ['email,role', ...addresses.map((email) => `${email},guest`)].join('\n') },
      });
    const unknown = ['The selected email is invalid.'];
    const userRefusal = await refusalOf(requestBatchAs(user, emails));
    expect([userRefusal.status, userRefusal.errors]).toEqual([
      422,
      { 'tokens.1.email': unknown, 'tokens.2.email': unknown },
    ]);
    const holder = await makeHolder(api, ['read-rooms', 'manage-rooms-tokens']);
    const holderRefusal = await refusalOf(requestBatchAs(holder, emails));
    expect(Object.values(holderRefusal.errors)).toEqual([unknown, unknown, unknown]);
    const emailAndId = await refusalOf(
      requestBatch(room, [{ role: 'guest', email: emails[0], user_id: ownMember.user_id }]),
    );
    expect(Object.keys(emailAndId.errors)).toEqual(['tokens.0.email']);
    const { data: batch } = await requestBatchAs(user, emails.slice(0, 1));
    const turkish = await member(otherRoom, 'stra\u00dfe\u0130@school.example');
    const { data: adminBatch } = await requestBatch(room, [
      { role: 'guest', email: emails[1] },
      { role: 'guest', email: '' },
      { role: 'guest', email: 'Stra\u00dfe\u0130@school.example' },
    ]);
    await makeTokens();
    expect((await tokensOf(room, batch)).map(({ user_id: id }) => id)).toEqual([ownMember.user_id]);
    expect((await tokensOf(room, adminBatch)).map(({ user_id: id }) => id)).toEqual([
      expect.stringMatching(/^user_/),
      null,
      turkish.user_id,
    ]);
  });

  test.each([
    [{}, ['tokens']],
    [{ tokens: [] }, ['tokens']],
    [{ tokens: 'all' }, ['tokens']],
    [{ tokens: ['guest', null, []] }, ['tokens.0', 'tokens.1', 'tokens.2']],
    [{ tokens: [{ role: 'guest' }], csv: 'role\nguest' }, ['csv']],
    [{ csv: '' }, ['csv']],
    [{ csv: 'name\nAda' }, ['csv']],
    [{ csv: 'role,rolle\nguest,x' }, ['csv']],
    [{ csv: 'role,role\nguest,guest' }, ['csv']],
    [{ csv: 'role' }, ['tokens']],
    [{ csv: 'role,name\nguest,"Ada' }, ['csv']],
    [{ csv: 'role,name\nguest,Ada,Lovelace' }, ['csv']],
    [{ csv: 'role,max_uses\nguest,many\nking,1' }, ['tokens.0.max_uses', 'tokens.1.role']],
  ])('are reported for %j', async (body, fields) => {
    const room = await createTestRoom();
    const refusal = await refusalOf(api.admin.createRoomTokenBatch({ params: room.params, body: body as never }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, fields]);
  });
});

describe('CSV', () => {
  test.each([
    ['commas', '\ufeffrole,name,max_uses\r\nattendee,"Lovelace, Ada",2\r\n\r\nguest,,\r\n'],
    ['semicolons', 'name;role;max_uses\nLovelace, Ada;attendee;2\n;guest\n'],
    ['tabs', 'Role\tName\tMax_Uses\nattendee\tLovelace, Ada\t2\nguest\t\t\n'],
  ])('is read with %s, in any order of its columns', async (_name, csv) => {
    const room = await createTestRoom();
    const answer = await post(room, 'text/csv; charset=utf-8', csv);
    expect(answer.status).toBe(201);
    await makeTokens();
    const tokens = await tokensOf(room, { id: answer.body.data?.id ?? '' });
    expect(tokens.map(({ role, name, max_uses: most }) => [role, name, most])).toEqual([
      ['attendee', 'Lovelace, Ada', 2],
      ['guest', null, null],
    ]);
  });

  test('with ten thousand rows may exceed 1 MiB, but not 8 MiB', async () => {
    const room = await createTestRoom();
    const lines = Array.from({ length: 10_000 }, (_, n) => `guest,${String(n).padEnd(140, 'x')}`);
    const csv = `role,name\n${lines.join('\n')}`;
    expect(csv.length).toBeGreaterThan(1_048_576);
    expect((await post(room, 'text/csv', csv)).status).toBe(201);
    const tooMany = await post(room, 'text/csv', `${csv}\nguest,one more`);
    expect([tooMany.status, Object.keys(tooMany.body.errors ?? {})]).toEqual([422, ['tokens']]);
    const tooLarge = await post(room, 'text/csv', 'x'.repeat(8_388_609));
    expect([tooLarge.status, tooLarge.body.code]).toEqual([413, 'body-too-large']);
    await api.admin.deleteRoom({ params: room.params });
  });

  test('and other large bodies are not read without authentication', async () => {
    const { room } = await createTestRoom();
    const url = `${api.url}/api/v1/rooms/${room.id}/token-batches`;
    for (const authorization of ['', 'Bearer fat_nonsense']) {
      const headers = { 'content-type': 'application/json', authorization };
      const answer = await fetch(url, { method: 'POST', headers, body: '{"tokens": [' });
      expect(answer.status).toBe(401);
    }
  });

  test('is accepted only by this endpoint, and other media types are not parsed as CSV', async () => {
    const room = await createTestRoom();
    const otherEndpoint = await fetch(`${api.url}/api/v1/rooms/${room.room.id}/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'text/csv' },
      body: 'role\nguest',
    });
    expect(otherEndpoint.status).toBe(415);
    expect((await post(room, 'text/plain', 'role\nguest')).status).toBe(415);
    expect((await post(room, 'text/csv; charset=latin1', 'role\nguest')).status).toBe(415);
  });

  test('has all tokens of a batch with their links, and no cell that a spreadsheet would run', async () => {
    const room = await createTestRoom();
    const { data: batch } = await requestBatch(room, [
      { role: 'moderator', name: '=HYPERLINK("http://evil.example")' },
      { role: 'guest', name: 'Ada "Countess" Lovelace, née Byron' },
    ]);
    await makeTokens();
    const { fileName, lines } = await csvOf(room, batch);
    const [first, second] = await tokensOf(room, batch);
    expect(fileName).toBe(`tokens-${batch.ulid}.csv`);
    expect(lines[0]).toBe('row,id,role,name,token,url,not_before,expires_at,max_uses,uses,user_id,last_usage');
    expect(lines[1]).toContain(`"'=HYPERLINK(""http://evil.example"")",${first?.token},${first?.url},`);
    expect(lines[2]).toBe(
      `1,${second?.id},guest,"Ada ""Countess"" Lovelace, née Byron",${second?.token},${second?.url},,,,0,,`,
    );
    const path = `${api.url}/api/v1/rooms/${room.room.id}/token-batches/${batch.id}/tokens`;
    const headers = { authorization: `Bearer ${bearer}` };
    expect((await fetch(`${path}?format=csv`, { headers })).headers.get('content-type')).toContain('text/csv');
    expect((await fetch(`${path}?format=xml`, { headers })).status).toBe(422);
    expect((await fetch(`${path}?format=json`, { headers: { ...headers, accept: 'text/csv' } })).status).toBe(200);
  });
});
