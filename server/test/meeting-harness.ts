import type { RoomRole } from '@foyer/contract/resources/rooms/room.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '@foyer/sandbox';
import { startApi, type TestApi } from './api.ts';
import { makeProvider, makeRoom, soldFeatures } from './factories.ts';
import { runJob } from '../src/modules.ts';

/** An API and a meeting server with the same clock, unless `aheadMs` is set. */
export interface MeetingHarness {
  readonly api: TestApi;
  readonly sandbox: Sandbox;
  readonly provider: { readonly id: string; readonly uuid: string };
  createTestRoom(options?: RoomOptions): Promise<RoomFixture>;
  /** Joins the room as staff and opens the meeting page like a browser. */
  enter(fixture: RoomFixture, name?: string, role?: RoomRole): Promise<{ sessionToken: string; userID: string }>;
  /** Runs both jobs that maintain meetings. */
  sync(node?: TestApi): Promise<void>;
  /** Runs the due tasks of the meeting server and waits until its callbacks are sent. */
  deliverCallbacks(): Promise<void>;
  /** Meetings of the room, newest first. */
  meetings(fixture: RoomFixture): Promise<ReadMeeting[]>;
  participants(meeting: { id: string }): Promise<ReadParticipant[]>;
  minutesUsed(fixture: RoomFixture): Promise<number | undefined>;
  close(): Promise<void>;
}

type ReadMeeting = Awaited<ReturnType<TestApi['admin']['listRoomMeetings']>>['data'][number];
type ReadParticipant = Awaited<ReturnType<TestApi['admin']['listMeetingParticipants']>>['data'][number];

export interface RoomOptions {
  readonly features?: Readonly<Record<string, string>>;
  readonly room?: Record<string, unknown>;
  readonly provider?: string;
}

export interface RoomFixture {
  readonly room: { readonly id: string; readonly uuid: string };
  readonly account: { readonly id: string };
  readonly subscription: { readonly id: string; readonly uuid: string };
  readonly customer: { readonly id: string; readonly uuid: string };
  readonly params: { readonly room_id: string };
}

export interface MeetingHarnessOptions extends SandboxOptions {
  /** How far the clock of the meeting server is ahead of the clock of the API. */
  readonly aheadMs?: number;
}

export async function startMeetingHarness({
  aheadMs = 0,
  ...options
}: MeetingHarnessOptions = {}): Promise<MeetingHarness> {
  const api = await startApi();
  const sandbox = await startSandbox({ now: () => api.clock.nowMs() + aheadMs, ...options });
  const provider = await makeProvider(api, sandbox);
  return {
    api,
    sandbox,
    provider,
    async createTestRoom({ features = {}, ...more } = {}) {
      const fixture = await makeRoom(api, {
        provider: provider.id,
        features: { ...soldFeatures, participant_minutes: '100000', ...features },
        ...more,
      });
      return { ...fixture, params: { room_id: fixture.room.id } };
    },
    async enter({ params }, name = 'Anna', role = 'moderator') {
      const { data } = await api.admin.joinRoom({ params, body: { name, role } });
      return followJoinUrl(sandbox, data.url);
    },
    async sync(node = api) {
      await runJob(node.app.dependencies, 'sync-meetings');
      await runJob(node.app.dependencies, 'end-meetings');
    },
    async deliverCallbacks() {
      sandbox.control.advanceClock(0);
      await sandbox.control.waitForCallbacks();
    },
    meetings: async ({ params }) => (await api.admin.listRoomMeetings({ params })).data,
    participants: async ({ id }) =>
      (
        await api.admin.listMeetingParticipants({
          params: { meeting_id: id },
          query: { orderBy: 'joined_at', sortedBy: 'asc', limit: 100 },
        })
      ).data,
    async minutesUsed({ subscription }) {
      const { data } = await api.admin.readSubscriptionUsage({
        params: { subscription_id: subscription.id },
        query: { limit: 0 },
      });
      return data.find(({ tag }) => tag === 'participant_minutes')?.usage.data.used;
    },
    async close() {
      await sandbox.close();
      await api.close();
    },
  };
}

/** Follows the join URL like a browser. */
export async function followJoinUrl(sandbox: Sandbox, url: string): Promise<{ sessionToken: string; userID: string }> {
  const answer = await fetch(url, { redirect: 'manual' });
  const location = answer.headers.get('location') ?? '';
  const sessionToken = new URL(location, url).searchParams.get('sessionToken');
  if (sessionToken === null) throw new Error(`the meeting refused the join: ${location}`);
  const user = sandbox.control.joinUser({ sessionToken });
  return { sessionToken, userID: user.userID };
}
