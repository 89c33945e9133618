import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId: string;
  /** The received bytes. */
  readonly raw: string;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  /** The first link of the text. */
  readonly link: string;
  /** The recipients of the SMTP envelope, which can differ from the headers. */
  readonly recipients: readonly string[];
  readonly user: string | null;
}

/** How the server handles mail. */
export type Behaviour =
  | 'accept'
  /** Accepts the connection and sends nothing. */
  | 'hang'
  /** Rejects the recipient permanently. */
  | 'reject'
  /** Closes the connection when it receives the content. */
  | 'disconnect';

export interface MailServer {
  readonly url: string;
  readonly mails: ReceivedMail[];
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

/** A mail server on its own port that stores the accepted mails. */
export async function startMailServer(options: { user?: string; password?: string } = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  let behaviour: Behaviour = 'accept';
  const settings: SMTPServerOptions = {
    disabledCommands: ['STARTTLS'],
    authOptional: options.user === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onConnect(_session, done) {
      if (behaviour !== 'hang') done();
    },
    onAuth({ username, password }, _session, done) {
      if (username === options.user && password === options.password) done(null, { user: username });
      else done(new Error('Wrong user or password.'));
    },
    onRcptTo(_address, _session, done) {
      done(behaviour === 'reject' ? Object.assign(new Error('No such user.'), { responseCode: 550 }) : null);
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (behaviour === 'disconnect') for (const connection of server.connections) connection.close();
      });
      stream.on('error', () => undefined);
      stream.on('end', () => {
        if (behaviour === 'disconnect') return;
        const raw = Buffer.concat(chunks).toString('latin1');
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        void parseMail(raw, recipients, session.user ?? null).then((mail) => {
          mails.push(mail);
          done();
        });
      });
    },
  };
  const server = new SMTPServer(settings);
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const login =
    options.user === undefined
      ? ''
      : `${encodeURIComponent(options.user)}:${encodeURIComponent(options.password ?? '')}@`;
  return {
    url: `smtp://${login}127.0.0.1:${port}`,
    mails,
    behave: (next) => void (behaviour = next),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function parseMail(raw: string, recipients: readonly string[], user: string | null): Promise<ReceivedMail> {
  const mail = await PostalMime.parse(Buffer.from(raw, 'latin1'));
  const text = mail.text ?? '';
  return {
    from: `${mail.from?.name} <${mail.from?.address}>`,
    to: (mail.to ?? []).map(({ address }) => address).join(', '),
    subject: mail.subject ?? '',
    text,
    html: mail.html ?? '',
    messageId: mail.messageId ?? '',
    raw,
    headers: mail.headers,
    link: /https?:\/\/\S+/.exec(text)?.[0] ?? '',
    recipients,
    user,
  };
}
