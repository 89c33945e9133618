import { endpoints } from '@foyer/contract';
import { accountRights, customerRights, requiredRight, roomRights } from '@foyer/contract/conventions/rights.ts';
import { entryRefusals } from '@foyer/contract/resources/rooms/room-entry.ts';
import { type Sandbox, startSandbox } from '@foyer/sandbox';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parseGuideFile } from '../src/reference/guide/guide-file.ts';
import { guideFolder, readGuide } from '../src/reference/guide/read-guide.ts';
import {
  codesOfEveryBody,
  codesOfEveryKey,
  codesOfEveryRequest,
} from '../src/reference/operation/operation-errors.tsx';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makePackage, makeProvider, makeRoom } from './factories.ts';
import { placeholdersOf, runSamples } from './guide-samples.ts';
import { makeBroadcastRoom } from './broadcast-rooms.ts';
import { absentMediaServer, startFakeMediaServer } from './fake-media-server.ts';
import { followJoinUrl } from './meeting-harness.ts';
import { createRecordedRooms } from './recorded-rooms.ts';
import { makeVideoRoom } from './video-rooms.ts';

const files = readGuide();
const readme = { slug: 'README', markdown: readFileSync(new URL('../../README.md', import.meta.url), 'utf8') };
const pages = [...files, readme].map(parseGuideFile);
const password = 'correct horse battery';

let api: TestApi;
let sandbox: Sandbox;
let token: string;

beforeAll(async () => {
  api = await startApi({ rateLimits: true });
  sandbox = await startSandbox({ now: () => api.clock.nowMs() });
  const { data: roles } = await api.admin.listRoles({ query: { search: 'name:admin', searchFields: 'name:=' } });
  await api.admin.createAdmin({
    body: {
      username: 'admin',
      email: 'admin@example.com',
      first_name: 'Ada',
      last_name: 'Admin',
      password,
      roles_ids: roles.map(({ id }) => id),
    },
  });
  token = (await api.anyone.loginAdmin({ body: { username: 'admin', password } })).access_token;
});

afterAll(async () => {
  await sandbox.close();
  await api.close();
});

test('README.md links to every page of the guide once', async () => {
  const names = (await readdir(guideFolder())).filter((name) => name.endsWith('.md') && name !== 'README.md');
  expect(files.map(({ slug }) => `${slug}.md`).toSorted()).toEqual(names.toSorted());
});

/** Files that the samples read. */
const sampleFiles = ['lesson.mp4', 'lesson.vtt', 'poster.jpg'];

test.each(pages)('the samples of $slug run without errors', async ({ sections }) => {
  const samples = sections.flatMap((section) => section.samples).filter(({ isRun }) => isRun);
  const folder = await mkdtemp(join(tmpdir(), 'foyer-guide-'));
  await Promise.all(sampleFiles.map((name) => writeFile(join(folder, name), name.repeat(200))));
  try {
    const shell = samples.filter(({ language }) => language === 'sh').map(({ code }) => useTestServers(code));
    const scripts = samples.filter(({ language }) => language === 'js').map(({ code }) => code);
    const values = await createPlaceholderValues(placeholdersOf(shell.join('\n')));
    await runSamples({ shell, scripts, folder, values: { FOYER: api.url, TOKEN: token, ...values } });
  } finally {
    await rm(folder, { recursive: true });
    // Starts a new minute for the rate limits.
    api.clock.advance({ minutes: 1 });
  }
});

test('every page of the guide is served at /docs', async () => {
  for (const { slug } of files) {
    const { status } = await fetch(`${api.url}/docs/${slug}`);
    expect([slug, status]).toEqual([slug, 200]);
  }
});

test('only samples that need another machine, a browser, a phone or a file are not run', () => {
  const skipped = pages.flatMap(({ slug, sections }) =>
    sections.flatMap(({ samples }) =>
      samples.filter(({ language, isRun }) => language === 'sh' && !isRun).map(({ title }) => `${slug}: ${title}`),
    ),
  );
  expect(skipped.toSorted()).toEqual([
    'README: Example',
    'auditing: On the server',
    'getting-started: Start',
    'live-streams: Send a file',
    'meeting-servers: Trust the certificates in ca.pem',
    'room-pages: Add Italian',
    'signing-in: Log out',
    'tokens: Refresh',
    'tokens: Step 4: exchange the code',
    'two-factor: Log in with a code',
    'two-factor: Replace the recovery codes',
    'two-factor: Start and confirm',
  ]);
});

test('every endpoint that the guide names exists', () => {
  const declaredEndpoints = new Set(
    Object.values(endpoints).map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
  );
  const namedEndpoints = files.flatMap(({ markdown }) =>
    [...markdown.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/[^`]*)`/g)].map(([, name = '']) => name),
  );
  expect(namedEndpoints.length).toBeGreaterThan(40);
  expect(namedEndpoints.filter((name) => !declaredEndpoints.has(name))).toEqual([]);
});

test('the guide lists exactly the codes of join errors', () => {
  expect(readTableColumn('joining-rooms', 'Code').toSorted()).toEqual(
    [...entryRefusals, 'provider-unavailable'].toSorted(),
  );
});

test('the guide lists the errors that every request can have', () => {
  const { markdown = '' } = files.find(({ slug }) => slug === 'errors') ?? {};
  const rows = markdown.slice(markdown.indexOf('## Common errors'));
  for (const code of [...codesOfEveryRequest, ...codesOfEveryBody, ...codesOfEveryKey])
    expect(rows).toContain(`\`${code}\``);
});

test('the guide lists every right with the right that it requires and the levels at which it can be granted', () => {
  const { markdown = '' } = files.find(({ slug }) => slug === 'access-control') ?? {};
  const rows = markdown.split('\n').map((line) => line.replaceAll(/\s+/g, ' '));
  const levels: readonly (readonly [string, readonly string[]])[] = [
    ['customer', customerRights],
    ['account', accountRights],
    ['room', roomRights],
  ];
  for (const right of customerRights) {
    const required = [requiredRight(right) ?? []].flat().map((name) => ` \`${name}\``);
    const available = levels.flatMap(([level, rights]) => (rights.includes(right) ? [level] : []));
    expect(rows).toContain(`| \`${right}\` |${required.join('')} | ${available.join(', ')} |`);
  }
});

test('the documents of the project link only to files and headings that exist', async () => {
  const root = new URL('../../', import.meta.url);
  const names = [
    'README.md',
    'docs/README.md',
    'docs/operations.md',
    'docs/decisions/README.md',
    'docs/guide/README.md',
    'CHANGELOG.md',
  ];
  const broken: string[] = [];
  for (const name of [...names, ...files.map(({ slug }) => `docs/guide/${slug}.md`)]) {
    const markdown = await readFile(new URL(name, root), 'utf8');
    for (const [, target = ''] of markdown.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const url = new URL(target, new URL(name, root));
      const content = await readFile(url).then(String, () => (existsSync(url) ? '' : null));
      const anchor = decodeURIComponent(url.hash.slice(1));
      if (content === null || (anchor !== '' && !headingsOf(content).includes(anchor)))
        broken.push(`${name}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

function headingsOf(markdown: string): string[] {
  return parseGuideFile({ slug: '', markdown }).sections.map(({ id }) => id);
}

/** Returns the inline code in the first column of the table with that heading. */
function readTableColumn(page: string, heading: string): string[] {
  const { markdown = '' } = files.find(({ slug }) => slug === page) ?? {};
  const [, table = ''] = new RegExp(`^\\| ${heading} .*\\n\\|[ -|]+\\n((?:\\|.*\\n)+)`, 'm').exec(markdown) ?? [];
  return [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, code = '']) => code);
}

function useTestServers(code: string): string {
  return code
    .replaceAll(/https:\/\/foyer\.example\.com|http:\/\/127\.0\.0\.1:8080/g, api.url)
    .replaceAll('http://127.0.0.1:8090', sandbox.url);
}

/** Creates the resources for the placeholders of a page. */
async function createPlaceholderValues(names: readonly string[]): Promise<Record<string, string>> {
  const { admin } = api;
  if (names.length === 0) return {};
  const provider = await makeProvider(api, sandbox);
  const features = {
    max_accounts: '5',
    max_rooms: '25',
    max_participants: '50',
    guest_access: 'true',
    participant_minutes: '10000',
  };
  const { room, account, customer, servicePackage, subscription } = await makeRoom(api, {
    provider: provider.id,
    features,
  });
  const params = { room_id: room.id };
  const findOrCreateReseller = async () => {
    const { data: parent } = await admin.listCustomers({ query: { search: 'is_reseller:true', limit: 1 } });
    if (parent[0]) return parent[0];
    const customer = await makeCustomer(api, { is_reseller: true, password, email: 'reseller@example.com' });
    await admin.createSubscription({ body: { package_id: servicePackage.id, subscriber_id: customer.id } });
    return customer;
  };
  const makers: Readonly<Record<string, () => Promise<string>>> = {
    PASSWORD: async () => password,
    ACCOUNT: async () => account.id,
    CUSTOMER: async () => customer.id,
    PACKAGE: async () => servicePackage.id,
    OTHER_PACKAGE: async () => (await makePackage(api, { provider: provider.id, features })).id,
    PROVIDER: async () => (await makeProvider(api, sandbox)).id,
    ROOM: async () => room.id,
    LIVE_ROOM: async () => (await makeBroadcastRoom(api, { media: absentMediaServer })).room.id,
    SIMULCAST_ROOM: async () => (await makeBroadcastRoom(api, { media: absentMediaServer, type: 'simulcast' })).room.id,
    SUBSCRIPTION: async () => subscription.id,
    USER_ID: async () => (await admin.listUsers({ query: { search: `email:${customer.email}` } })).data[0]?.id ?? '',
    ROOM_TOKEN: async () => (await admin.createRoomToken({ params, body: { role: 'attendee' } })).data.token,
    CUSTOMER_BELOW: async () => (await makeCustomer(api, { parent_customer_id: (await findOrCreateReseller()).id })).id,
    async RESELLER_TOKEN() {
      await findOrCreateReseller();
      return (await api.anyone.loginUser({ body: { username: 'reseller@example.com', password } })).access_token;
    },
    async VIDEO_ROOM() {
      const media = await startFakeMediaServer();
      onTestFinished(() => media.close());
      return (await makeVideoRoom(api, media)).room.id;
    },
    async MEETING() {
      const { data } = await admin.joinRoom({ params, body: { name: 'Ada', role: 'moderator' } });
      await followJoinUrl(sandbox, data.url);
      return (await admin.listRoomMeetings({ params })).data[0]?.id ?? '';
    },
    async RECORDING() {
      const rooms = await createRecordedRooms(api, sandbox);
      const recorded = await rooms.createTestRoom();
      await rooms.record(recorded);
      await rooms.syncNow(recorded);
      return (await admin.listRoomRecordings({ params: recorded.params })).data[0]?.id ?? '';
    },
  };
  const values: Record<string, string> = {};
  for (const name of new Set(names)) {
    const value = await makers[name]?.();
    expect(value, `a value for $${name}`).toBeTruthy();
    values[name] = value ?? '';
  }
  return values;
}
