import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';
import { endpoints } from '@foyer/contract/index.ts';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makeProvider, makeRoom, unique } from './factories.ts';
import { startFakeMediaServer } from './fake-media-server.ts';
import { makeBroadcastRoom } from './broadcast-rooms.ts';
import { absentMediaServer } from './fake-media-server.ts';
import { startTestSandbox, createRecordedRooms } from './recorded-rooms.ts';
import { makeVideo, makeVideoRoom } from './video-rooms.ts';

type Values = Record<string, unknown>;

interface MemberSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maxLength?: number;
  readonly 'x-metadata'?: boolean;
  readonly 'x-map'?: boolean;
}

/** A resource that can be read and updated, and usually created, with the names of its operations. */
interface Writable {
  readonly object: string;
  readonly members: ReadonlySet<string>;
  readonly create: string | null;
  readonly read: string;
  readonly update: string;
  /** The path parameter with its id; null if the resource is that of the caller. */
  readonly idParam: string | null;
}

const operations = Object.entries(endpoints) as unknown as readonly (readonly [string, Endpoint])[];
const endpointsByName = new Map(operations);

/** Every resource with a PATCH, from the contract. */
const writables: readonly Writable[] = operations.flatMap(([update, { method, path, answer }]) => {
  if (method !== 'PATCH' || answer.kind !== 'resource') return [];
  const read = operations.find(([, other]) => other.method === 'GET' && other.path === path)?.[0];
  if (read === undefined) throw new Error(`${path} can be updated but not read`);
  const idParam = /:(\w+)$/.exec(path)?.[1] ?? null;
  const collection = path.replace(/\/:\w+$/, '');
  const create = operations.find(([, other]) => other.method === 'POST' && other.path === collection)?.[0];
  const { object, fields } = answer.resource;
  const hasCreate = idParam !== null && create !== undefined;
  return [{ object, members: new Set(Object.keys(fields)), create: hasCreate ? create : null, read, update, idParam }];
});

/** Members that are not returned as written, with the reason, for one resource or (`*`) for all. */
const notReadBack: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '*': { password: 'never returned', permissions: 'returned in the order of the catalogue' },
  Admin: { roles_ids: 'a relationship' },
  Account: { subscriber_id: 'the customer of the subscription' },
  ServiceProvider: { properties: 'secrets are masked' },
  Output: { stream_key: 'masked' },
  CustomerUser: { email: 'of the user', first_name: 'of the user', last_name: 'of the user' },
};

/** The parents of nested resources, by path parameter. */
let pathParams: Readonly<Record<string, string>>;
/** Values for create and update, if the schema does not imply a valid one. */
let chosenValues: Readonly<Record<string, Readonly<Record<string, readonly [unknown, unknown]>>>>;
/** The rooms for resources that only exist in rooms of one type. */
let rooms: Readonly<Record<string, string>>;
let api: TestApi;

beforeAll(async () => {
  api = await startApi();
  const { admin } = api;
  const { room, account, customer, subscription, servicePackage } = await makeRoom(api, {
    features: { max_accounts: '10', max_rooms: '25', recording: 'true', max_participants: '50' },
  });
  const packageProvider = await makeProvider(api);
  const forSubscription = await makeProvider(api);
  const { data: added } = await admin.createServicePackageProvider({
    params: { service_package_id: servicePackage.id },
    body: { service_provider_id: forSubscription.id },
  });
  const { data: role } = await admin.createRole({ body: { name: unique('role') } });
  const { data: user } = await admin.createUser({
    body: { email: `${unique('user')}@example.com`, first_name: 'Ada', last_name: 'Byron', password },
  });
  const { data: member } = await admin.createCustomerUser({
    params: { customer_id: customer.id },
    body: { email: `${unique('member')}@example.com`, first_name: 'Mary', last_name: 'Shelley' },
  });
  const reseller = await makeCustomer(api, { is_reseller: true });
  const broadcast = await makeBroadcastRoom(api, { media: absentMediaServer, type: 'simulcast' });
  rooms = { Stream: broadcast.room.id, Output: broadcast.room.id };
  pathParams = {
    customer_id: customer.id,
    account_id: account.id,
    room_id: room.id,
    subscription_id: subscription.id,
    service_package_id: servicePackage.id,
  };
  const person = {
    user_id: [user.id, omitted],
    email: [omitted, omitted],
    first_name: [omitted, omitted],
    last_name: [omitted, omitted],
    password: [omitted, omitted],
    locale: [omitted, omitted],
    timezone: [omitted, omitted],
    owner: [false, false],
  } as const;
  chosenValues = {
    '*': { status: ['active', 'inactive'] },
    Admin: { roles_ids: [[role.id], omitted], password: [password, omitted] },
    User: { password: [password, omitted] },
    OauthClient: {
      redirect_uris: [['https://one.example/callback'], ['https://two.example/callback']],
      grants: [['authorization_code'], ['authorization_code', 'refresh_token']],
      scopes: [['rooms:read'], ['rooms:read', 'customers:read']],
    },
    ServiceProvider: {
      provider_type: ['bigbluebutton', omitted],
      service_type: ['meet', omitted],
      tags: [['one'], ['two', 'three']],
      properties: [serverAt('one'), serverAt('two')],
      settings: [{ welcome: 'Hello' }, { welcome: 'Good day' }],
    },
    ServicePackageFeature: {
      tag: ['max_storage', omitted],
      service_feature_code: [omitted, omitted],
      value: ['3', '4'],
    },
    ServicePackageSubscriptionFeature: {
      tag: ['max_storage', omitted],
      service_feature_code: [omitted, omitted],
      value: ['3', '4'],
    },
    ServicePackageProvider: {
      service_provider_id: [packageProvider.id, omitted],
      package_provider_id: [added.id, omitted],
      default: [true, true],
      active: [true, true],
    },
    Customer: {
      allowed_domains_origins: [['https://one.example'], ['https://two.example']],
      allowed_domains_registration: [['example.com'], ['example.com', 'two.example']],
      parent_customer_id: [reseller.id, omitted],
      password: [password, omitted],
    },
    Address: { default: [true, true] },
    Telephone: {
      number: ['+351912345678', '+351912345679'],
      telephone_extension: ['12', '34'],
      default: [true, true],
    },
    LegalDocument: { type: ['other', omitted], value: ['12 345', '12 346'], issued_at: [january(1), january(2)] },
    CustomerUser: { ...person, permissions: [['read-customer'], ['read-customer', 'read-account']] },
    AccountUser: { ...person, permissions: [['read-account'], ['read-account', 'read-room']] },
    RoomUser: { ...person, permissions: [['read-room'], ['read-room', 'moderate']] },
    ServicePackageSubscription: {
      package_id: [servicePackage.id, omitted],
      subscriber_id: [reseller.id, omitted],
      parent_subscription_id: [omitted, omitted],
      features: [omitted, omitted],
    },
    Account: { subscription_id: [subscription.id, omitted], subscriber_id: [customer.id, omitted] },
    Room: {
      room_type: ['meet', omitted],
      account_id: [account.id, omitted],
      customer_id: [customer.id, omitted],
      subscription_id: [subscription.id, omitted],
    },
    Stream: { source: [omitted, { url: 'srt://192.0.1.1:9000' }], room_id: [omitted, omitted] },
    Output: { url: ['rtmp://192.0.1.1/one', 'rtmps://192.0.1.1/two'], room_id: [omitted, broadcast.room.id] },
    Webhook: { events: [['room.created'], ['room.*', '*']], customer_id: [customer.id, omitted] },
    RoomToken: { user_id: [member.user_id, member.user_id], not_before: [january(1), january(2)] },
  };
});

afterAll(() => api.close());

const password = 'correct horse battery staple';
const january = (day: number) => `2026-01-0${day}T00:00:00.000000Z`;
const serverAt = (name: string) => ({
  host_url: `https://${name}.example/bigbluebutton/api`,
  secret: 'a shared secret',
});
/** Marks a member that is not sent, because its value depends on other members. */
const omitted = Symbol('omitted');

/** Returns a valid value of the member, a different one for each variant. */
function valueFor(object: string, name: string, schema: MemberSchema, variant: 0 | 1): unknown {
  const chosenValue = (chosenValues[object]?.[name] ?? chosenValues['*']?.[name])?.[variant];
  if (chosenValue !== undefined) return chosenValue;
  const type = [schema.type].flat().find((candidate) => candidate !== 'null');
  if (schema.enum) return schema.enum.filter((value) => value !== null)[variant] ?? schema.enum[0];
  if (type === 'boolean') return variant === 0;
  if (type === 'integer' || type === 'number') return (schema.minimum ?? 0) + 2 + variant;
  if (type === 'object') return { note: `value ${variant}` };
  const format = formats[schema.format ?? ''];
  if (format) return format[variant];
  if (schema.format === 'email') return `${unique('mail')}@example.com`;
  if (schema.format === 'host-name') return `${unique('host')}.example.com`;
  if (type === 'string' && schema.format !== 'identifier') return unique('text');
  throw new Error(`Choose values of ${object}.${name}`);
}

const formats: Readonly<Record<string, readonly [string, string]>> = {
  'date-time': ['2026-05-01T00:00:00.000000Z', '2026-05-02T00:00:00.000000Z'],
  country: ['PT', 'DE'],
  currency: ['EUR', 'USD'],
  locale: ['de', 'fr'],
  'time-zone': ['Europe/Lisbon', 'Europe/Berlin'],
  'http-url': ['https://one.example/', 'https://two.example/'],
  color: ['#112233', '#445566'],
};

function bodyOf({ object }: Writable, operation: string, variant: 0 | 1): Values {
  const properties = (endpointsByName.get(operation)?.body?.properties ?? {}) as Readonly<Record<string, MemberSchema>>;
  const values = Object.entries(properties).map(([name, schema]) => [name, valueFor(object, name, schema, variant)]);
  return Object.fromEntries(values.filter(([, value]) => value !== omitted));
}

/** Returns the members of a body that the response must contain. */
function expectedMembers({ object, members }: Writable, body: Values): Values {
  const reasons = { ...notReadBack['*'], ...notReadBack[object] };
  const entries = Object.entries(body).filter(([name]) => !(name in reasons));
  const missing = entries.filter(([name]) => !members.has(name)).map(([name]) => name);
  expect(missing, 'are written, but neither returned nor listed as an exception').toEqual([]);
  return Object.fromEntries(entries);
}

test.each(writables)('every written member of $object is returned when it is read ($update)', async (writable) => {
  const { create, read, update, idParam } = writable;
  const client = (idParam === null && writable.object === 'User' ? await userClient() : api.admin) as unknown as Record<
    string,
    (input: object) => Promise<{ data: Values & { id: string } }>
  >;
  const params = Object.fromEntries(
    [...new Set((endpointsByName.get(update)?.path ?? '').match(/(?<=:)\w+/g))].map((name) => [
      name,
      pathParams[name] ?? '',
    ]),
  );
  const room = rooms[writable.object];
  if (room !== undefined) params['room_id'] = room;
  const readResource = async () => (await client[read]?.({ params }))?.data;
  if (create !== null && idParam !== null) {
    const body = bodyOf(writable, create, 0);
    const created = await client[create]?.({ params, body });
    expect(created?.data).toMatchObject(expectedMembers(writable, body));
    params[idParam] = created?.data.id ?? '';
    expect(await readResource()).toMatchObject(expectedMembers(writable, body));
  } else if (idParam !== null) params[idParam] = await createWithoutApi(writable.object);
  const body = bodyOf(writable, update, 1);
  const changed = await client[update]?.({ params, body });
  expect(changed?.data).toMatchObject(expectedMembers(writable, body));
  expect(await readResource()).toMatchObject(expectedMembers(writable, body));
});

async function userClient() {
  const email = `${unique('self')}@example.com`;
  await api.admin.createUser({ body: { email, first_name: 'Ada', last_name: 'Byron', password } });
  const { access_token: token } = await api.anyone.loginUser({ body: { username: email, password } });
  return api.clientWith(token);
}

/** Creates a resource that the API cannot create, and returns its id. */
async function createWithoutApi(object: string): Promise<string> {
  if (object === 'Video') {
    const media = await startFakeMediaServer();
    onTestFinished(() => media.close());
    return (await makeVideo(api, await makeVideoRoom(api, media))).id;
  }
  if (object !== 'Recording') throw new Error(`Make a ${object}`);
  const sandbox = await startTestSandbox(api);
  onTestFinished(() => sandbox.close());
  const rooms = await createRecordedRooms(api, sandbox);
  const room = await rooms.createTestRoom();
  sandbox.control.plantRecording({ meetingID: room.uuid });
  await rooms.syncNow(room);
  const { data } = await api.admin.listRoomRecordings({ params: room.params });
  return data[0]?.id ?? '';
}
