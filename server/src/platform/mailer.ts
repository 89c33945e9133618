import { createTransport } from 'nodemailer';
import { withTimeout } from './time/with-timeout.ts';

export interface MailAddress {
  /** Empty if there is none. */
  readonly name: string;
  readonly address: string;
}

export interface OutgoingMail {
  /** Without angle brackets. The same at every attempt, so that duplicates can be recognized. */
  readonly messageId: string;
  readonly from: MailAddress;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** A POST to this URL unsubscribes the recipient (RFC 8058). */
  readonly unsubscribeUrl?: string | null;
  readonly calendar?: CalendarFile | null;
}

/** An iCalendar file that mail programs offer to add to the calendar. */
export interface CalendarFile {
  readonly method: 'REQUEST' | 'CANCEL';
  readonly content: string;
}

export const calendarFileName = 'invite.ics';

/** Sends mails through the mail server. */
export interface Mailer {
  /** The sender; null for the platform's name and address. */
  readonly from: MailAddress | null;
  /** Resolves when the server has accepted the mail. @throws MailNotAccepted */
  send(mail: OutgoingMail): Promise<void>;
  /** Why the server would not accept a mail now, in one word; null when it would. */
  check(): Promise<string | null>;
}

/** The message is one word and contains nothing of the mail or the credentials. */
export class MailNotAccepted extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'MailNotAccepted';
  }
}

/** How long sending one mail may take. */
export const sendingMs = 60_000;
const defaultSilenceMs = 15_000;

/** @param url `smtp://` or `smtps://`, with user and password if the server requires them */
export function createMailer(url: string, from: MailAddress | null, silenceMs = defaultSilenceMs): Mailer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  const secure = protocol === 'smtps:';
  // A password is sent over TLS only, with a verified certificate. Without a password, opportunistic TLS is enough.
  const requireTLS = username !== '' && !isLocal && !secure;
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS,
    tls: { rejectUnauthorized: (secure || requireTLS) && !isLocal },
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: silenceMs,
    greetingTimeout: silenceMs,
    dnsTimeout: silenceMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    from,
    async check() {
      return await transport.verify().then(() => null, reasonOf);
    },
    async send({ messageId, from: sender, to, subject, text, html, unsubscribeUrl, calendar }) {
      const sending = transport.sendMail({
        messageId: `<${messageId}>`,
        from: { name: oneLine(sender.name), address: sender.address },
        to: { name: '', address: to },
        subject: oneLine(subject),
        text,
        html,
        ...(calendar ? { icalEvent: { ...calendar, filename: calendarFileName } } : {}),
        headers: {
          'Auto-Submitted': 'auto-generated',
          'X-Auto-Response-Suppress': 'All',
          ...(unsubscribeUrl
            ? {
                'List-Unsubscribe': `<${unsubscribeUrl}>`,
                'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
              }
            : {}),
        },
      });
      try {
        await withTimeout(Math.min(sendingMs, silenceMs * 4), sending, () => {
          throw new MailNotAccepted('too slow');
        });
      } catch (error) {
        throw error instanceof MailNotAccepted ? error : new MailNotAccepted(reasonOf(error));
      } finally {
        // An error after the deadline is ignored.
        sending.catch(() => undefined);
      }
    },
  };
}

/** Replaces line breaks and direction marks, which could forge header fields, by blanks. */
export function oneLine(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]+/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}

/** `name <address>` or an address alone. */
export function parseMailAddress(text: string): MailAddress | null {
  const [, name = '', bracketed, bare] =
    /^(?:([^<>\p{Cc}]*)<([^<>\s@]+@[^<>\s@]+)>|([^<>\s@]+@[^<>\s@]+))$/u.exec(text) ?? [];
  const address = bracketed ?? bare;
  return address === undefined ? null : { name: name.trim().replace(/^"(.*)"$/, '$1'), address };
}

/** The answer of the server may repeat the mail, so only its codes are kept. */
function reasonOf(error: unknown): string {
  const { code, responseCode, command } = (error ?? {}) as {
    code?: unknown;
    responseCode?: unknown;
    command?: unknown;
  };
  const words = [code, responseCode, command].filter((word) => typeof word === 'string' || typeof word === 'number');
  return words.length > 0 ? words.join(' ') : 'unknown';
}
