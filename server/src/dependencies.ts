import type { FastifyBaseLogger } from 'fastify';
import type { Snapshot, SnapshotOptions } from './database/snapshot.ts';
import type { ChangeServices } from './events/change.ts';
import type { AttemptCounter } from './platform/limits/failed-attempts.ts';
import type { Mailer } from './platform/mailer.ts';
import type { SecretBox } from './platform/crypto/secret-box.ts';
import type { Catalogues } from './platform/text/catalogues.ts';
import type { ProviderRegistry } from './providers/registry.ts';

/** What the actions of all modules are given; `compose.ts` builds it, once per process. */
export interface Dependencies extends ChangeServices {
  /** For what is read over a long time: on a connection of its own. */
  readonly openSnapshot: (options: SnapshotOptions) => Promise<Snapshot>;
  readonly secretBox: SecretBox;
  readonly providers: ProviderRegistry;
  /** A secret of the installation: keys fingerprints of what may hold secrets. */
  readonly fingerprintSeed: string;
  /** A secret of the installation, from which the passwords of meetings are made. */
  readonly meetingPasswordSeed: string;
  /** A secret of the installation, from which the addresses are made that providers call. */
  readonly callbackSeed: string;
  /** A secret of the installation, by which links to recordings are signed. */
  readonly linkSeed: string;
  /** Failed sign-ins, and failed tokens and codes at the doors of rooms. */
  readonly failedAttempts: AttemptCounter;
  /** Null where no mail server is set up: then links are shown to whoever makes them. */
  readonly mailer: Mailer | null;
  /** The texts of pages, mails and messages. */
  readonly catalogues: Catalogues;
  readonly logger: FastifyBaseLogger;
  /** Base of links to rooms, without a slash at the end. */
  readonly publicUrl: () => string;
}
