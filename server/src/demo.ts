import { sql } from 'kysely';
import { readFile } from 'node:fs/promises';
import type { Dependencies } from './dependencies.ts';
import { inTransaction, system } from './events/change.ts';
import { createAccount } from './modules/accounts/index.ts';
import { createCustomer } from './modules/customers/index.ts';
import { createRoom, createRoomToken, tokenAssociatedData, tokenUrl } from './modules/rooms/index.ts';
import { addPackageFeature, addPackageProvider, createServicePackage } from './modules/service-packages/index.ts';
import { createServiceProvider } from './modules/service-providers/index.ts';
import { createSubscription } from './modules/subscriptions/index.ts';
import { createVideo } from './modules/videos/index.ts';
import { randomCode } from './platform/crypto/opaque-token.ts';
import type { Uuid } from './platform/identity/identifier.ts';

const meetingFeatures: Readonly<Record<string, string>> = {
  max_accounts: '5',
  max_rooms: '25',
  max_participants: '50',
  max_concurrent_meetings: '10',
  max_duration: '120',
  recording: 'true',
  screen_sharing: 'true',
  public_chat: 'true',
  private_chat: 'true',
  guest_access: 'true',
};

const demonstrationMetadata = { demonstration: true };

/**
 * Creates a demonstration customer with a room on the sandbox, if the database has no customers and providers.
 * @returns the moderator link of the demonstration room, which may be from an earlier start; null if there is none
 */
export async function seedDemonstration(
  dependencies: Dependencies,
  sandbox: { apiUrl: string; secret: string } | null,
  media: { url: string; secret: string } | null,
): Promise<string | null> {
  if (sandbox && (await isEmpty(dependencies))) {
    const customerId = await seedMeetings(dependencies, sandbox);
    if (media) await seedMedia(dependencies, media, customerId);
  }
  return await findDemonstrationLink(dependencies);
}

async function isEmpty({ db }: Dependencies): Promise<boolean> {
  const { rows } = await sql<{ empty: boolean }>`
    select not exists(select from customers) and not exists(select from service_providers)
      and not exists(select from service_packages) as empty`.execute(db);
  return rows[0]?.empty === true;
}

interface MediaService {
  readonly type: 'video' | 'live' | 'simulcast';
  readonly provider: string;
  readonly tag: string;
  /** The name of the package, the account and the room. */
  readonly name: string;
  readonly price: number;
  readonly roomDescription: string;
  readonly features: Readonly<Record<string, string>>;
}

const commonFeatures = { max_accounts: '5', max_rooms: '10' };
const viewerFeatures = { max_viewers: '100', viewer_minutes: '10000', guest_access: 'true' };

const mediaServices: readonly MediaService[] = [
  {
    type: 'video',
    provider: 'Media server: video',
    tag: 'video-library',
    name: 'Video library',
    price: 19,
    roomDescription: 'This is the demonstration room for videos. You can upload more in the console.',
    features: {
      ...commonFeatures,
      ...viewerFeatures,
      max_videos: '100',
      max_storage: '50',
      max_upload_size: '5',
      max_resolution: '1080',
      transcoding_minutes: '1000',
    },
  },
  {
    type: 'live',
    provider: 'Media server: live',
    tag: 'live-streams',
    name: 'Live stage',
    price: 39,
    roomDescription:
      'This is the demonstration room for live streams. Send a stream from your encoder, or go live in the browser.',
    features: {
      ...commonFeatures,
      ...viewerFeatures,
      stream_minutes: '1000',
      low_latency: 'true',
      recording: 'true',
      dvr_minutes: '60',
      max_recordings: '20',
      max_storage: '20',
    },
  },
  {
    type: 'simulcast',
    provider: 'Media server: simulcast',
    tag: 'simulcast',
    name: 'Simulcast',
    price: 29,
    roomDescription: 'This is the demonstration room for simulcast. Add outputs, then send a stream from your encoder.',
    features: { ...commonFeatures, ...viewerFeatures, stream_minutes: '1000', max_outputs: '5' },
  },
];

/** For each service type of the media server: a provider, a package, a subscription and a room. */
async function seedMedia(
  dependencies: Dependencies,
  media: { url: string; secret: string },
  customerId: Uuid,
): Promise<void> {
  for (const {
    type,
    provider: provider_name,
    name,
    tag,
    price,
    roomDescription,
    features: packageFeatures,
  } of mediaServices) {
    const provider = await createServiceProvider(dependencies, system, {
      provider_name,
      provider_type: 'foyer-media',
      service_type: type,
      properties: { host_url: media.url, secret: media.secret },
      metadata: demonstrationMetadata,
    });
    const description = `${name}: made for trying Foyer out.`;
    const body = { name, tag, description, service_type: type, price };
    const packageId = await seedPackage(dependencies, provider.id, { body, features: packageFeatures });
    const room = await createRoom(dependencies, system, {
      room_name: name,
      account_id: await seedAccount(dependencies, packageId, customerId, name),
      is_public: true,
      room_settings: { description: roomDescription },
      room_metadata: demonstrationMetadata,
    });
    if (type === 'video') await seedVideo(dependencies, room.id);
  }
}

/** Ten seconds of the test picture of ffmpeg. */
const clip = new URL('../demo/clip.mp4', import.meta.url);

/** Uploads a short video. A failure is only logged, since the demonstration also works without the video. */
async function seedVideo(dependencies: Dependencies, roomId: Uuid): Promise<void> {
  try {
    const bytes = await readFile(clip);
    const body = {
      name: 'Test pictures',
      size_bytes: bytes.length,
      content_type: 'video/mp4',
      video_metadata: demonstrationMetadata,
    };
    const { upload } = await createVideo(dependencies, { actor: system, params: { room_id: roomId }, body });
    const headers = {
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    };
    const response = await fetch(upload?.url ?? '', { method: 'PATCH', body: bytes, headers });
    if (response.status !== 204) throw new Error(`The media server answered ${response.status}.`);
  } catch (error) {
    dependencies.logger.warn({ reason: String(error) }, 'the video of the demonstration was not uploaded');
  }
}

interface DemoPackage {
  readonly body: Omit<Parameters<typeof createServicePackage>[2], 'currency'>;
  readonly features: Readonly<Record<string, string>>;
}

async function seedPackage(
  dependencies: Dependencies,
  providerId: Uuid,
  { body, features: packageFeatures }: DemoPackage,
): Promise<Uuid> {
  const servicePackage = await createServicePackage(dependencies, system, {
    currency: 'EUR',
    periodicity: 1,
    periodicity_type: 'month',
    trial_period: 14,
    trial_interval: 'day',
    grace_period: 3,
    grace_interval: 'day',
    package_metadata: demonstrationMetadata,
    ...body,
  });
  const packageCall = { actor: system, params: { service_package_id: servicePackage.id } };
  for (const [tag, value] of Object.entries(packageFeatures))
    await addPackageFeature(dependencies, { ...packageCall, body: { tag, value } });
  await addPackageProvider(dependencies, { ...packageCall, body: { service_provider_id: providerId, default: true } });
  return servicePackage.id;
}

async function seedAccount(dependencies: Dependencies, packageId: Uuid, customerId: Uuid, name: string): Promise<Uuid> {
  const input = { package_id: packageId, subscriber_id: customerId };
  const subscription = await inTransaction(dependencies, system, (change) => createSubscription(change, null, input));
  const account = await createAccount(dependencies, system, { account_name: name, subscription_id: subscription.id });
  return account.id;
}

/** @returns the customer */
async function seedMeetings(dependencies: Dependencies, sandbox: { apiUrl: string; secret: string }): Promise<Uuid> {
  const provider = await createServiceProvider(dependencies, system, {
    provider_name: 'Sandbox',
    provider_type: 'bigbluebutton',
    properties: { host_url: sandbox.apiUrl, secret: sandbox.secret },
    metadata: demonstrationMetadata,
  });
  const packageId = await seedPackage(dependencies, provider.id, {
    body: {
      name: 'Meetings for teams',
      tag: 'meetings-for-teams',
      description: 'Everything a team needs to meet: made for trying Foyer out.',
      price: 29,
    },
    features: meetingFeatures,
  });
  const customer = await createCustomer(dependencies, system, null, {
    customer_type: 'business',
    company_name: 'Harbour Lights Ltd',
    first_name: 'Grace',
    last_name: 'Harbour',
    email: 'grace@harbour-lights.example.com',
    country: 'PT',
    currency: 'EUR',
    password: randomCode(20),
    customer_metadata: demonstrationMetadata,
  });
  const accountId = await seedAccount(dependencies, packageId, customer.id, 'Main office');
  const room = await createRoom(dependencies, system, {
    room_name: 'Welcome to Foyer',
    account_id: accountId,
    is_public: true,
    room_settings: {
      description:
        'This is the demonstration room. Its meetings run on the sandbox, a meeting server made for trying things out.',
      welcome_message: 'Welcome! This meeting runs on the sandbox.',
    },
    room_metadata: demonstrationMetadata,
  });
  for (const role of ['moderator', 'attendee'] as const) {
    await createRoomToken(dependencies, system, room.id, { role, name: `Demonstration ${role}` });
  }
  return customer.id;
}

async function findDemonstrationLink({ db, secretBox, publicUrl }: Dependencies): Promise<string | null> {
  const row = await db
    .selectFrom('rooms')
    .innerJoin('room_tokens', 'room_tokens.room_id', 'rooms.id')
    .select(['rooms.id', 'rooms.slug', 'room_tokens.id as token_id', 'room_tokens.token_sealed'])
    .where(sql<boolean>`rooms.room_metadata @> '{"demonstration": true}'`)
    .where('room_tokens.role', '=', 'moderator')
    .orderBy('room_tokens.id')
    .executeTakeFirst();
  if (!row) return null;
  const token = await secretBox.open(row.token_sealed, tokenAssociatedData(row.token_id));
  return tokenUrl(publicUrl(), row, token);
}
