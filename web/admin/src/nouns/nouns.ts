import { indexNouns } from '../../../kit/noun/app.tsx';
import { admins, auditEntries, oauthClients, roles } from './access-nouns.ts';
import { events } from './event-nouns.ts';
import { videos } from './media-nouns.ts';
import { meetings, recordings } from './meeting-nouns.ts';
import type { AnyNoun } from '../../../kit/noun/noun.ts';
import { customers, accounts, rooms, users } from './customer-nouns.ts';
import { mails, webhooks } from './platform-nouns.ts';
import { servicePackages, serviceProviders, subscriptions } from './package-nouns.ts';

export const nouns = {
  customers,
  subscriptions,
  accounts,
  rooms,
  meetings,
  recordings,
  videos,
  users,
  servicePackages,
  serviceProviders,
  admins,
  roles,
  oauthClients,
  auditEntries,
  events,
  webhooks,
  mails,
};

export const nounIndex = indexNouns(Object.values(nouns));

export function nounAt(path: string): AnyNoun | null {
  return nounIndex.all.find((noun) => noun.path === path) ?? null;
}
