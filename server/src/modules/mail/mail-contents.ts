import type { Dependencies } from '../../dependencies.ts';
import type { Principal } from '../../platform/http/input/call.ts';
import type { ComposedMail } from './compose-mail.tsx';
import { mailAssociatedData } from './queue-mail.ts';
import type { MailRow } from './store.ts';

type Contents = Pick<ComposedMail, 'text' | 'html'> | { readonly text: null; readonly html: null };

/**
 * The text of a kept mail. Null for a mail that is sent: its links belong to the receiver. Null also for callers without
 * full access, who could use the links in it to get rights that they do not hold.
 */
export async function mailContentsOf(
  { secretBox }: Pick<Dependencies, 'secretBox'>,
  principal: Principal | null,
  { id, state, content_sealed: sealed }: MailRow,
): Promise<Contents> {
  const isAllowed = principal?.isFullAdmin === true && principal.scopes.includes('*');
  if (state !== 'kept' || sealed === null || !isAllowed) return { text: null, html: null };
  const { text, html } = JSON.parse(await secretBox.open(sealed, mailAssociatedData(id))) as ComposedMail;
  return { text, html };
}
