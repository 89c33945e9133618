import { expect } from 'vitest';
import { inTransaction, system } from '../src/events/change.ts';
import type { EventInput } from '../src/events/event-data.ts';
import { runJob } from '../src/modules.ts';
import { publishAll } from '../src/modules/events/index.ts';
import type { TestApi } from './api.ts';
import type { MailServer, ReceivedMail } from './mail-server.ts';

/** Publishes events, composes and sends the mails about them, as the worker does. */
export async function sendNotifications({ app }: TestApi): Promise<void> {
  await publishAll(app.dependencies);
  await runJob(app.dependencies, 'compose-notifications');
  await runJob(app.dependencies, 'send-mails');
}

/** Sends the due mails, and returns all mails since the last call. */
export async function newMails(api: TestApi, server: MailServer): Promise<ReceivedMail[]> {
  await sendNotifications(api);
  return server.mails.splice(0);
}

export async function onlyMail(api: TestApi, server: MailServer): Promise<ReceivedMail> {
  const mails = await newMails(api, server);
  expect(mails.map(({ to, subject }) => ({ to, subject }))).toHaveLength(1);
  return mails[0] as ReceivedMail;
}

export function headerOf({ headers }: ReceivedMail, name: string): string | undefined {
  return headers.find(({ key }) => key === name)?.value;
}

/** Emits an event that tests cannot cause otherwise. */
export async function emitEvent({ app }: TestApi, event: EventInput): Promise<void> {
  await inTransaction(app.dependencies, system, ({ emit }) => emit(event));
}
