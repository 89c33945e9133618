import { audit } from './modules/audit/index.ts';
import { settings } from './modules/settings/index.ts';
import { idempotency } from './modules/idempotency/index.ts';
import { mail } from './modules/mail/index.ts';
import { roles } from './modules/roles/index.ts';
import { admins } from './modules/admins/index.ts';
import { twoFactor } from './modules/two-factor/index.ts';
import { users } from './modules/users/index.ts';
import { memberships } from './modules/memberships/index.ts';
import { auth } from './modules/auth/index.ts';
import { features } from './modules/features/index.ts';
import { serviceProviders } from './modules/service-providers/index.ts';
import { servicePackages } from './modules/service-packages/index.ts';
import { customers } from './modules/customers/index.ts';
import { customerRecords } from './modules/customer-records/index.ts';
import { streams } from './modules/streams/index.ts';
import { subscriptions } from './modules/subscriptions/index.ts';
import { accounts } from './modules/accounts/index.ts';
import { rooms } from './modules/rooms/index.ts';
import { passwordReset } from './modules/password-reset/index.ts';
import { invitations } from './modules/invitations/index.ts';
import { meetings } from './modules/meetings/index.ts';
import { recordings } from './modules/recordings/index.ts';
import { roomAccess } from './modules/room-access/index.ts';
import { videos } from './modules/videos/index.ts';
import { playback } from './modules/playback/index.ts';
import { meetEntry } from './modules/meet-entry/index.ts';
import { events } from './modules/events/index.ts';
import { webhooks } from './modules/webhooks/index.ts';
import { notifications } from './modules/notifications/index.ts';
import { reports } from './modules/reports/index.ts';
import { throttling } from './modules/throttling/index.ts';
import type { EncryptedColumn } from './database/encrypted-column.ts';
import type { Dependencies } from './dependencies.ts';
import type { Jobs, Module } from './module.ts';

/** In dependency order: a module imports only earlier modules, and reacts to their changes. */
export const modules: readonly Module[] = [
  throttling,
  audit,
  settings,
  idempotency,
  mail,
  roles,
  admins,
  twoFactor,
  users,
  memberships,
  auth,
  features,
  serviceProviders,
  servicePackages,
  customers,
  customerRecords,
  subscriptions,
  accounts,
  rooms,
  passwordReset,
  invitations,
  meetings,
  recordings,
  roomAccess,
  videos,
  streams,
  meetEntry,
  playback,
  events,
  webhooks,
  notifications,
  reports,
];

export const jobs: Jobs = Object.fromEntries(
  modules.flatMap(({ jobs: jobsOfModule = {} }) => Object.entries(jobsOfModule)),
);

export const encryptedColumns: readonly EncryptedColumn[] = modules.flatMap(
  ({ encryptedColumns: columnsOfModule = [] }) => columnsOfModule,
);

/** Runs a job now. @returns its count, see `Job.counted` */
export async function runJob(dependencies: Dependencies, name: string): Promise<number> {
  const job = jobs[name];
  if (!job) throw new TypeError(`There is no job ${name}.`);
  return await job.run(dependencies);
}
