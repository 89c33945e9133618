import type { RoomRole } from '@foyer/contract/resources/room.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '@foyer/sandbox';
import { startApi, type TestApi } from './api.ts';
import { makeProvider, makeRoom, soldFeatures } from './factories.ts';
import { runJob } from '../src/modules.ts';

/** An API and a meeting server whose clock is that of the API, unless it is told to differ. */
export interface Stage {
  readonly api: TestApi;
  readonly sandbox: Sandbox;
  readonly provider: { readonly id: string; readonly uuid: string };
  aRoom(options?: RoomOptions): Promise<Door>;
  /** Lets somebody in as staff, who opens the page of the meeting as a browser does. */
  enter(door: Door, name?: string, role?: RoomRole): Promise<{ sessionToken: string; userID: string }>;
  /** Both jobs that look after meetings. */
  sync(on?: TestApi): Promise<void>;
  /** What became due on the meeting server is done, and has been told. */
  settle(): Promise<void>;
  /** Of the room, the newest first. */
  meetings(door: Door): Promise<ReadMeeting[]>;
  participants(meeting: { id: string }): Promise<ReadParticipant[]>;
  minutesUsed(door: Door): Promise<number | undefined>;
  close(): Promise<void>;
}

type ReadMeeting = Awaited<ReturnType<TestApi['admin']['listRoomMeetings']>>['data'][number];
type ReadParticipant = Awaited<ReturnType<TestApi['admin']['listMeetingParticipants']>>['data'][number];

export interface RoomOptions {
  readonly features?: Readonly<Record<string, string>>;
  readonly room?: Record<string, unknown>;
  readonly provider?: string;
}

export interface Door {
  readonly room: { readonly id: string; readonly uuid: string };
  readonly account: { readonly id: string };
  readonly subscription: { readonly id: string; readonly uuid: string };
  readonly customer: { readonly id: string; readonly uuid: string };
  readonly params: { readonly room_id: string };
}

export interface StageOptions extends SandboxOptions {
  /** How much the clock of the meeting server is ahead. */
  readonly aheadMs?: number;
}

export async function openStage({ aheadMs = 0, ...options }: StageOptions = {}): Promise<Stage> {
  const api = await startApi();
  const sandbox = await startSandbox({ now: () => api.clock.nowMs() + aheadMs, ...options });
  const provider = await makeProvider(api, sandbox);
  return {
    api,
    sandbox,
    provider,
    async aRoom({ features = {}, ...more } = {}) {
      const above = await makeRoom(api, {
        provider: provider.id,
        features: { ...soldFeatures, participant_minutes: '100000', ...features },
        ...more,
      });
      return { ...above, params: { room_id: above.room.id } };
    },
    async enter({ params }, name = 'Anna', role = 'moderator') {
      const { data } = await api.admin.joinRoom({ params, body: { name, role } });
      return arrive(sandbox, data.url);
    },
    async sync(on = api) {
      await runJob(on.app.dependencies, 'sync-meetings');
      await runJob(on.app.dependencies, 'end-meetings');
    },
    async settle() {
      sandbox.control.advanceClock(0);
      await sandbox.control.callbacksSent();
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

/** Follows the address that the door gave, as a browser does, and is in. */
export async function arrive(sandbox: Sandbox, url: string): Promise<{ sessionToken: string; userID: string }> {
  const answer = await fetch(url, { redirect: 'manual' });
  const location = answer.headers.get('location') ?? '';
  const sessionToken = new URL(location, url).searchParams.get('sessionToken');
  if (sessionToken === null) throw new Error(`the meeting did not let in: ${location}`);
  const user = sandbox.control.joinUser({ sessionToken });
  return { sessionToken, userID: user.userID };
}
