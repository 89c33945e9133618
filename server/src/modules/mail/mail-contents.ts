import type { Dependencies } from '../../dependencies.ts';
import type { Principal } from '../../platform/http/input/call.ts';
import { type CalendarFile, calendarFileName } from '../../platform/mailer.ts';
import type { ComposedMail } from './compose-mail.tsx';
import { mailAssociatedData } from './queue-mail.ts';
import type { MailRow } from './store.ts';

export interface ContentFields {
  readonly text: string | null;
  readonly html: string | null;
  readonly attachments: Attachment[] | null;
}

interface Attachment {
  readonly file_name: string;
  readonly content_type: string;
  readonly content: string;
}

/**
 * The text of a kept mail. Null for a mail that is sent: only the recipient may use its links. Null also for callers
 * without full access, who could use the links in it to get rights that they do not hold.
 */
export async function readMailContents(
  { secretBox }: Pick<Dependencies, 'secretBox'>,
  principal: Principal | null,
  { id, state, content_sealed: sealed }: MailRow,
): Promise<ContentFields> {
  const isAllowed = principal?.isFullAdmin === true && principal.scopes.includes('*');
  if (state !== 'kept' || sealed === null || !isAllowed) return { text: null, html: null, attachments: null };
  const { text, html, calendar } = JSON.parse(await secretBox.open(sealed, mailAssociatedData(id))) as ComposedMail;
  return { text, html, attachments: calendar ? [calendarAttachment(calendar)] : [] };
}

function calendarAttachment({ method, content }: CalendarFile): Attachment {
  return { file_name: calendarFileName, content_type: `text/calendar; charset=utf-8; method=${method}`, content };
}
