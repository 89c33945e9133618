/** @jsxImportSource preact */
import type { ReferencePage } from '../reference-page.ts';
import { audit } from './audit.tsx';
import { browsers } from './browsers.tsx';
import { comingIn } from './coming-in.tsx';
import { conventions } from './conventions.tsx';
import { errors } from './errors.tsx';
import { type Addresses, guidePage } from './guide-page.tsx';
import { limits } from './limits.tsx';
import { lists } from './lists.tsx';
import { meetingServers } from './meeting-servers.tsx';
import { meetings } from './meetings.tsx';
import { people } from './people.tsx';
import { recordings } from './recordings.tsx';
import { safeWrites } from './safe-writes.tsx';
import { selling } from './selling.tsx';
import { signingIn } from './signing-in.tsx';
import { tokens } from './tokens.tsx';
import { twoFactor } from './two-factor.tsx';
import { whoMayDoWhat } from './who-may-do-what.tsx';

/** What a newcomer reads first: getting in, and the manners that hold for every request. */
export function guidePages(addresses: Addresses): ReferencePage[] {
  return [
    signingIn(addresses),
    twoFactor(),
    tokens(),
    whoMayDoWhat(),
    conventions(addresses),
    lists(addresses),
    safeWrites(),
    limits(),
    errors(),
    people(),
    selling(),
    comingIn(),
    meetings(),
    recordings(),
    meetingServers(),
    audit(),
    browsers(),
  ].map(guidePage);
}
