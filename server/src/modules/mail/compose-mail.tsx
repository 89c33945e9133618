/** @jsxImportSource preact */
import { renderToString } from 'preact-render-to-string';
import type { Texts } from '../../platform/text/catalogues.ts';
import { type CalendarFile, oneLine } from '../../platform/mailer.ts';
import { mailColors } from '../../platform/page/page-colors.ts';
import type { Settings } from '../../platform/settings.ts';

/** The contents of a mail, in the recipient's language. */
export interface MailContents {
  readonly subject: string;
  readonly heading: string;
  readonly paragraphs: readonly string[];
  /** The sender's own words after the paragraphs. Their line breaks are kept. */
  readonly message?: string | null;
  readonly action: MailAction | null;
  readonly notes: readonly string[];
  /** A link in the footer. */
  readonly unsubscribe?: MailAction | null;
  readonly calendar?: CalendarFile | null;
}

export interface MailAction {
  readonly label: string;
  readonly url: string;
}

export interface ComposedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly unsubscribeUrl: string | null;
  readonly calendar: CalendarFile | null;
}

export type MailBrand = Pick<Settings, 'platform_name' | 'logo_url' | 'primary_color' | 'support_url'>;

/** Composes the mail as plain text and as HTML, with the branding. */
export function composeMail(contents: MailContents, texts: Texts, brand: MailBrand): ComposedMail {
  const { action, unsubscribe = null, calendar = null } = contents;
  const clean: MailContents = {
    subject: oneLine(contents.subject),
    heading: oneLine(contents.heading),
    paragraphs: contents.paragraphs.map(oneLine),
    message: contents.message ? cleanLines(contents.message) : null,
    action: action && { ...action, label: oneLine(action.label) },
    notes: contents.notes.map(oneLine),
    unsubscribe,
  };
  return {
    subject: clean.subject,
    text: plainText(clean, texts, brand),
    html: `<!doctype html>${renderToString(<Mail contents={clean} texts={texts} brand={brand} />)}`,
    unsubscribeUrl: unsubscribe?.url ?? null,
    calendar,
  };
}

/** Keeps line breaks, but at most one blank line in a row. */
function cleanLines(text: string): string {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).map(oneLine);
  return lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

function plainText(
  { heading, paragraphs, message, action, notes, unsubscribe }: MailContents,
  texts: Texts,
  brand: MailBrand,
): string {
  const written = message ? [message] : [];
  const sections = [
    heading,
    ...paragraphs,
    ...written,
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    ...notes,
  ];
  const footer = [
    oneLine(brand.platform_name),
    ...(brand.support_url ? [`${texts.help}: ${brand.support_url}`] : []),
    ...(unsubscribe ? [`${unsubscribe.label}: ${unsubscribe.url}`] : []),
  ];
  return `${sections.join('\n\n')}\n\n-- \n${footer.join('\n')}\n`;
}

const font = "-apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";
const small = { margin: '0 0 8px', font: `14px/1.5 ${font}`, color: '#655d70' };

/** Mail programs only support tables and inline styles. The style sheet in the head adds dark mode where it is supported. */
function Mail({ contents, texts, brand }: { contents: MailContents; texts: Texts; brand: MailBrand }) {
  const { accent, ink, text } = mailColors(brand.primary_color);
  const { heading, paragraphs, message, action, notes, unsubscribe } = contents;
  return (
    <html lang={texts.language} dir={texts.direction}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{contents.subject}</title>
        <style>{darkStyle(brand.primary_color)}</style>
      </head>
      <body class="page" style={{ margin: 0, padding: 0, background: '#f6f1ea' }}>
        <table
          class="page"
          role="presentation"
          width="100%"
          cellpadding="0"
          cellspacing="0"
          style={{ background: '#f6f1ea' }}
        >
          <tr>
            <td align="center" style={{ padding: '32px 16px' }}>
              <table role="presentation" width="100%" cellpadding="0" cellspacing="0" style={{ maxWidth: '560px' }}>
                <tr>
                  <td class="ink" style={{ padding: '0 8px 20px', font: `600 17px/1.4 ${font}`, color: '#241f2b' }}>
                    {brand.logo_url !== null && (
                      <img
                        src={brand.logo_url}
                        alt=""
                        height={32}
                        style={{ height: '32px', maxWidth: '144px', verticalAlign: 'middle', marginRight: '12px' }}
                      />
                    )}
                    {oneLine(brand.platform_name)}
                  </td>
                </tr>
                <tr>
                  <td
                    height={6}
                    style={{
                      height: '6px',
                      lineHeight: '6px',
                      fontSize: '0',
                      background: brand.primary_color,
                      borderRadius: '6px 6px 0 0',
                    }}
                  />
                </tr>
                <tr>
                  <td
                    class="card"
                    style={{ padding: '36px 32px', background: '#ffffff', borderRadius: '0 0 16px 16px' }}
                  >
                    <h1 class="ink" style={{ margin: '0 0 16px', font: `700 26px/1.2 ${font}`, color: '#241f2b' }}>
                      {heading}
                    </h1>
                    {paragraphs.map((paragraph) => (
                      <p
                        key={paragraph}
                        class="ink"
                        style={{ margin: '0 0 16px', font: `16px/1.55 ${font}`, color: '#241f2b' }}
                      >
                        {paragraph}
                      </p>
                    ))}
                    {message && (
                      <p class="ink" style={{ margin: '0 0 16px', font: `16px/1.55 ${font}`, color: '#241f2b' }}>
                        {message
                          .split('\n')
                          .flatMap((line, index) => (index === 0 ? [line] : [<br key={index} />, line]))}
                      </p>
                    )}
                    {action && <ActionButton action={action} background={accent} color={ink} />}
                    {notes.map((note) => (
                      <p key={note} class="soft" style={small}>
                        {note}
                      </p>
                    ))}
                    {action && (
                      <p class="soft" style={{ ...small, marginTop: '20px' }}>
                        {texts.mail.copyAddress}
                        <br />
                        <a class="link" href={action.url} style={{ color: text, wordBreak: 'break-all' }}>
                          {action.url}
                        </a>
                      </p>
                    )}
                  </td>
                </tr>
                {brand.support_url !== null && (
                  <tr>
                    <td align="center" style={{ padding: '20px 8px', font: `14px/1.5 ${font}` }}>
                      <a class="link" href={brand.support_url} style={{ color: text }}>
                        {texts.help}
                      </a>
                    </td>
                  </tr>
                )}
                {unsubscribe && (
                  <tr>
                    <td align="center" style={{ padding: '12px 8px 0', font: `14px/1.5 ${font}` }}>
                      <a class="link" href={unsubscribe.url} style={{ color: text }}>
                        {unsubscribe.label}
                      </a>
                    </td>
                  </tr>
                )}
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html>
  );
}

function ActionButton({ action, background, color }: { action: MailAction; background: string; color: string }) {
  return (
    <table role="presentation" cellpadding="0" cellspacing="0" style={{ margin: '28px 0' }}>
      <tr>
        <td align="center" style={{ background, borderRadius: '12px' }}>
          <a
            href={action.url}
            style={{
              display: 'inline-block',
              padding: '15px 28px',
              font: `600 17px/1.3 ${font}`,
              color,
              textDecoration: 'none',
            }}
          >
            {action.label}
          </a>
        </td>
      </tr>
    </table>
  );
}

function darkStyle(color: string): string {
  return `@media (prefers-color-scheme: dark) {
.page { background: #16131a !important } .card { background: #211d24 !important }
.ink { color: #f5eff5 !important } .soft { color: #b8aebd !important } .link { color: ${mailColors(color).darkText} !important }
}`;
}
