import * as administrators from './administrators/nouns.ts';
import * as customers from './customers/nouns.ts';
import * as users from './users/nouns.ts';
import * as providers from './providers/nouns.ts';
import * as packages from './packages/nouns.ts';
import * as subscriptions from './subscriptions/nouns.ts';
import * as rooms from './rooms/nouns.ts';
import * as media from './media/nouns.ts';
import * as meetings from './meetings/nouns.ts';
import * as auth from './auth/nouns.ts';
import * as platform from './platform/nouns.ts';
import * as events from './events/nouns.ts';
import type { Tags } from '../conventions/noun.ts';

/** All nouns of the API, in the order in which permissions are listed. */
export const nouns = {
  ...administrators.nouns,
  ...customers.nouns,
  ...users.nouns,
  ...providers.nouns,
  ...packages.nouns,
  ...subscriptions.nouns,
  ...rooms.nouns,
  ...media.nouns,
  ...meetings.nouns,
  ...auth.nouns,
  ...platform.nouns,
  ...events.nouns,
} as const;

export type NounName = keyof typeof nouns;

/** The descriptions of the tags in the reference. */
export const tags: Tags = {
  ...administrators.tags,
  ...customers.tags,
  ...users.tags,
  ...providers.tags,
  ...packages.tags,
  ...subscriptions.tags,
  ...rooms.tags,
  ...media.tags,
  ...meetings.tags,
  ...auth.tags,
  ...platform.tags,
  ...events.tags,
};
