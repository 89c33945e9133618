import type { Snapshot, SnapshotOptions } from './database/snapshot.ts';
import type { ChangeServices } from './events/change.ts';
import type { AttemptCounter } from './platform/limits/failed-attempts.ts';
import type { Mailer } from './platform/mailer.ts';
import type { SecretBox } from './platform/crypto/secret-box.ts';
import type { Catalogues } from './platform/text/catalogues.ts';
import type { ProviderRegistry } from './providers/registry.ts';

/** The services that all modules use. `createApp` creates them once per process. */
export interface Dependencies extends ChangeServices {
  /** Opens a read snapshot on its own connection, for long reads. */
  readonly openSnapshot: (options: SnapshotOptions) => Promise<Snapshot>;
  readonly secretBox: SecretBox;
  readonly providers: ProviderRegistry;
  /** HMAC key for fingerprints of data that may contain secrets. */
  readonly fingerprintKey: string;
  /** Secret from which meeting passwords are derived. */
  readonly meetingPasswordSeed: string;
  /** Secret from which the callback URLs for providers are derived. */
  readonly callbackSeed: string;
  /** HMAC key that signs playback links. */
  readonly linkKey: string;
  /** Counts failed sign-ins, and wrong room tokens and access codes. */
  readonly failedAttempts: AttemptCounter;
  /**
   * Null without a mail server. The API then returns the links of invitations and password resets in its responses.
   */
  readonly mailer: Mailer | null;
  /** The texts of pages, mails and messages. */
  readonly catalogues: Catalogues;
  /** Base of links to rooms, without a slash at the end. */
  readonly publicUrl: () => string;
}
