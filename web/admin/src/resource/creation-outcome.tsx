import { LinkDialog } from '../admins/link-dialog.tsx';
import { toText } from '../../../kit/format/to-text.ts';
import { SecretDialog } from '../../../kit/dialog/secret-dialog.tsx';
import { showDone, showFailure } from '../../../kit/display/notices/toasts.ts';
import type { Noun, Row } from '../../../kit/noun/noun.ts';
import { client } from '../../../kit/api/client.ts';

/** The created resource, with the secret or password link that is shown only once. */
export interface Outcome {
  readonly row: Row;
  readonly secret: string | null;
  readonly link: { readonly email: string; readonly url: string; readonly expiresAt: string } | null;
}

export function CreationOutcome(props: {
  readonly noun: Noun;
  readonly outcome: Outcome;
  readonly onClose: () => void;
}) {
  const { noun, outcome, onClose } = props;
  const title = `${noun.titleOf(outcome.row)} has been created`;
  if (outcome.link !== null) return <LinkDialog title={title} {...outcome.link} onClose={onClose} />;
  return <SecretDialog title={title} label="Secret" value={outcome.secret ?? ''} onClose={onClose} />;
}

/** The secret, which only the response to the creation contains; null if the resource has none. */
export function secretOf(noun: Noun, row: Row): string | null {
  const secret = noun.shownOnce === undefined ? null : row[noun.shownOnce];
  return typeof secret === 'string' ? secret : null;
}

/** The password link; null if it was mailed or could not be created. */
export async function makePasswordLink(noun: Noun, row: Row): Promise<Outcome['link']> {
  try {
    const { data } =
      noun.passwordLink === 'createAdminPasswordReset'
        ? await client.createAdminPasswordReset({ params: { admin_id: row.id } })
        : await client.createUserPasswordReset({ params: { user_id: row.id } });
    if (data.url !== null) return { email: data.email, url: data.url, expiresAt: data.expires_at };
    showDone(`A link to choose a password is on its way to ${toText(row.email)}.`);
  } catch (error) {
    showFailure(error);
  }
  return null;
}

/** A random password for users who choose one through a link. */
export function randomPassword(): string {
  return btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(36))));
}
