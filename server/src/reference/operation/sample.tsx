/** @jsxImportSource preact */
import { escapeHtml, highlightJson } from './highlight-code.ts';
import { useReference } from '../reference-context.tsx';

/** A panel of code. `html` must be escaped: see `highlightCode`. */
export function Sample({ title, html, wraps = false }: { title: string; html: string; wraps?: boolean }) {
  return (
    <figure class={wraps ? 'sample wraps' : 'sample'}>
      <figcaption>{title}</figcaption>
      <pre tabIndex={0} dangerouslySetInnerHTML={{ __html: html }} />
    </figure>
  );
}

export function JsonSample({ title, value, wraps = false }: { title: string; value: unknown; wraps?: boolean }) {
  return <Sample title={title} wraps={wraps} html={highlightValue(value, useReference().hrefs)} />;
}

/** JSON as highlighted HTML. A member called `…` links to the section that its value names. */
function highlightValue(value: unknown, hrefs: ReadonlyMap<string, string>): string {
  const text = escapeHtml(joinShortLists(JSON.stringify(value, null, 2)));
  return highlightJson(text).replaceAll(
    /<b>"…"<\/b>: <i>"(\w+)"<\/i>/g,
    (_, name: string) => `<a href="${hrefs.get(name) ?? `#${name}`}" aria-label="the other members">…</a>`,
  );
}

const maxListWidth = 48;

/** Puts short lists of plain values on one line. */
function joinShortLists(json: string): string {
  return json.replaceAll(/\[\s+([^[\]{}]*?)\s+\]/g, (list: string, inner: string) => {
    const line = `[${inner.replaceAll(/,\s*\n\s*/g, ', ')}]`;
    return line.length > maxListWidth ? list : line;
  });
}

export interface CurlRequest {
  readonly verb: string;
  readonly url: string;
  readonly needsToken: boolean;
  readonly body?: unknown;
  /** The media type of a body that is a file. */
  readonly fileType?: string | undefined;
}

/** A curl command as HTML; the token comes from the variable `TOKEN`. */
export function highlightCurl({ verb, url, needsToken, body, fileType }: CurlRequest): string {
  const method = verb === 'get' ? '' : ` -X ${verb.toUpperCase()}`;
  const address = /[?&*]/.test(url) ? `'${url}'` : url;
  const command = `<b>curl</b>${method}`;
  const isLong = method.length + address.length > maxAddressWidth;
  const lines = [
    ...(isLong ? [command, `<span>${escapeHtml(address)}</span>`] : [`${command} ${escapeHtml(address)}`]),
    ...(needsToken ? ['-H <i>"Authorization: Bearer $TOKEN"</i>'] : []),
    ...(fileType === undefined ? [] : [`-H <i>'Content-Type: ${fileType}'</i>`, '--data-binary @file']),
    ...(body === undefined ? [] : ["-H <i>'Content-Type: application/json'</i>", `-d <i>${quote(body)}</i>`]),
  ];
  return lines.join(' \\\n  ');
}

const maxAddressWidth = 46;

function quote(body: unknown): string {
  const json = JSON.stringify(body, null, 2)
    .replaceAll("'", String.raw`'\''`)
    .replaceAll('\n', '\n  ');
  return escapeHtml(`'${json}'`);
}
