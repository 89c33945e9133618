import type { Sandbox } from '@foyer/sandbox';
import { startSandbox } from '@foyer/sandbox';
import { newUuid, parseIdentifier, type Uuid } from '../src/platform/identity/identifier.ts';
import type { TestApi } from './api.ts';
import { makeRoom, soldFeatures, unique } from './factories.ts';
import { runJob } from '../src/modules.ts';

/** Starts a meeting server with the clock of the API. */
export async function startTestSandbox(
  api: TestApi,
  options: Parameters<typeof startSandbox>[0] = {},
): Promise<Sandbox> {
  return await startSandbox({ port: 0, now: () => api.clock.nowMs(), ...options });
}

export interface RecordedRooms {
  readonly provider: string;
  readonly providerUuid: Uuid;
  /** Creates a room in a new subscription. Its meetings are on the server. */
  createTestRoom(options?: RoomOptions): Promise<RecordedRoom>;
  /** Creates another room in the same account. */
  another(room: RecordedRoom): Promise<RecordedRoom>;
  /** Starts a meeting with one participant. */
  open(room: RecordedRoom): Promise<void>;
  /** Holds a complete, recorded meeting. The callback about its recording is lost unless `sendsCallback` is set. */
  record(room: RecordedRoom, options?: { readonly minutes?: number; readonly sendsCallback?: boolean }): Promise<void>;
  sync(): Promise<number>;
  /** Synchronizes the room although it is not due. */
  syncNow(room: RecordedRoom): Promise<number>;
  /** Makes the synchronization of the room due. */
  markDue(room: RecordedRoom): Promise<void>;
  usageOf(room: RecordedRoom, tag: string): Promise<number | undefined>;
}

interface RoomOptions {
  readonly features?: Record<string, string>;
  readonly room?: Record<string, unknown>;
}

export interface RecordedRoom {
  readonly id: string;
  readonly uuid: Uuid;
  readonly params: { readonly room_id: string };
  readonly account: { readonly id: string };
  readonly subscription: { readonly id: string };
  readonly customer: { readonly id: string };
}

export async function createRecordedRooms(
  api: TestApi,
  sandbox: Sandbox,
  providerType: 'bigbluebutton' | 'scalelite' = 'bigbluebutton',
): Promise<RecordedRooms> {
  const { data } = await api.admin.createServiceProvider({
    body: {
      provider_name: unique('Provider'),
      provider_type: providerType,
      properties: { host_url: sandbox.apiUrl, secret: sandbox.secret },
    },
  });
  const { id: provider, uuid: providerUuid } = data;
  const sync = async () => (await runJob(api.app.dependencies, 'sync-recordings')) ?? 0;
  async function markDue({ uuid }: RecordedRoom): Promise<void> {
    await api.app.connection.pool.query(
      `insert into recording_checks (service_provider_id, room_id, ended_at, next_at) values ($1, $2, $3, $3)
        on conflict (service_provider_id, room_id) do update set next_at = $3`,
      [providerUuid, uuid, api.clock.now()],
    );
  }
  async function open({ params }: RecordedRoom): Promise<void> {
    const { data: token } = await api.admin.createRoomToken({ params, body: { role: 'moderator' } });
    const { data: entry } = await api.anyone.joinRoom({ params, body: { name: 'Anna', token: token.token } });
    const answer = await fetch(entry.url, { redirect: 'manual' });
    const sessionToken = new URL(answer.headers.get('location') ?? '', entry.url).searchParams.get('sessionToken');
    sandbox.control.joinUser({ sessionToken: sessionToken ?? '' });
  }
  const toRecordedRoom = (fixture: Omit<RecordedRoom, 'id' | 'uuid' | 'params'>, id: string): RecordedRoom => ({
    account: fixture.account,
    subscription: fixture.subscription,
    customer: fixture.customer,
    id,
    uuid: parseIdentifier('room', id) ?? '',
    params: { room_id: id },
  });
  return {
    provider,
    providerUuid,
    async createTestRoom({ features = {}, room = {} } = {}) {
      const fixture = await makeRoom(api, { provider, features: { ...soldFeatures, ...features }, room });
      return toRecordedRoom(fixture, fixture.room.id);
    },
    async another(room) {
      const { data } = await api.admin.createRoom({ body: { room_name: 'Another', account_id: room.account.id } });
      return toRecordedRoom(room, data.id);
    },
    open,
    async record(room, { minutes = 10, sendsCallback = false } = {}) {
      if (!sendsCallback) sandbox.control.disturbCallbacks({ kind: 'lost', callback: 'recording-ready', times: null });
      const { uuid } = room;
      await open(room);
      sandbox.control.setRecording(uuid, true);
      await runJob(api.app.dependencies, 'sync-meetings');
      api.clock.advance({ minutes });
      sandbox.control.endMeeting(uuid);
      // The meeting is still listed for some seconds.
      api.clock.advance({ minutes: 1 });
      sandbox.control.advanceClock(0);
      await runJob(api.app.dependencies, 'sync-meetings');
    },
    sync,
    markDue,
    async syncNow(room) {
      await markDue(room);
      return await sync();
    },
    async usageOf({ subscription }, tag) {
      const { data: features } = await api.admin.listSubscriptionFeatures({
        params: { subscription_id: subscription.id },
        query: { limit: 0 },
      });
      return features.find((feature) => feature.tag === tag)?.usage.data.used;
    },
  };
}

/** Inserts a recording that exists on no provider. */
export async function insertRecording(
  api: Pick<TestApi, 'app' | 'admin' | 'clock'>,
  room: { readonly uuid: string },
  columns: { readonly name?: string; readonly state?: string; readonly provider?: string } = {},
) {
  const id = newUuid();
  await api.app.connection.pool.query(
    `insert into recordings (id, room_id, customer_id, subscription_id, provider_recording_id, name, state, published,
      playback, size_bytes, created_at, updated_at, service_provider_id)
    select $1, id, customer_id, subscription_id, $2, $3, $4, $4 = 'published', '[{"type":"video","length":1}]', 1000, $5,
      $5, $7
    from rooms where id = $6`,
    [
      id,
      unique('recording'),
      columns.name ?? 'Recording',
      columns.state ?? 'published',
      api.clock.now(),
      room.uuid,
      parseIdentifier('prov', columns.provider ?? ''),
    ],
  );
  return (await api.admin.readRecording({ params: { recording_id: id } })).data;
}
