/** @jsxImportSource preact */
import { useReference } from './reference-context.tsx';

/** A panel of code; `html` is safe markup, made by the functions of this file. */
export function Sample({ title, html, wraps = false }: { title: string; html: string; wraps?: boolean }) {
  return (
    <figure class={wraps ? 'sample wraps' : 'sample'}>
      <figcaption>{title}</figcaption>
      <pre tabIndex={0} dangerouslySetInnerHTML={{ __html: html }} />
    </figure>
  );
}

export function JsonSample({ title, value, wraps = false }: { title: string; value: unknown; wraps?: boolean }) {
  return <Sample title={title} wraps={wraps} html={paintJson(value, useReference().hrefs)} />;
}

/**
 * JSON with keys, strings and other values told apart by `b`, `i` and `u`. A member called `…` leads to the place that
 * its value names.
 */
function paintJson(value: unknown, hrefs: ReadonlyMap<string, string>): string {
  const text = escapeHtml(shortLists(JSON.stringify(value, null, 2)));
  const painted = text.replaceAll(
    /("(?:[^"\\]|\\.)*")(:)?|\b(true|false|null)\b|(-?\b\d[\d.eE+-]*)/g,
    (match: string, string?: string, colon?: string) => {
      if (string === undefined) return `<u>${match}</u>`;
      return colon === undefined ? `<i>${string}</i>` : `<b>${string}</b>:`;
    },
  );
  return painted.replaceAll(
    /<b>"…"<\/b>: <i>"(\w+)"<\/i>/g,
    (_, name: string) => `<a href="${hrefs.get(name) ?? `#${name}`}" aria-label="the other members">…</a>`,
  );
}

const widestList = 48;

/** Lists of plain values stand in one line where they fit. */
function shortLists(json: string): string {
  return json.replaceAll(/\[\s+([^[\]{}]*?)\s+\]/g, (list: string, inner: string) => {
    const line = `[${inner.replaceAll(/,\s*\n\s*/g, ', ')}]`;
    return line.length > widestList ? list : line;
  });
}

/** Lines for a shell; `FOYER` stands for the public address. */
export function ShellSample({ title, lines }: { title: string; lines: string }) {
  return <Sample title={title} wraps html={paintShell(lines)} />;
}

/** Commands, text in quotes and remarks told apart. */
function paintShell(lines: string): string {
  return escapeHtml(lines.trim()).replaceAll(
    /^(#.*)$|('[^']*'|"(?:\\.|[^"\\])*")|(?<=^|\(|\| )(curl|openssl)(?= )/gm,
    (match: string, remark?: string, quoted?: string) => {
      if (remark !== undefined) return `<s>${remark}</s>`;
      return quoted === undefined ? `<b>${match}</b>` : `<i>${quoted}</i>`;
    },
  );
}

export interface CurlRequest {
  readonly verb: string;
  readonly url: string;
  readonly needsToken: boolean;
  readonly body?: unknown;
}

/** A request as one would type it; the token comes from the variable `TOKEN`. */
export function paintCurl({ verb, url, needsToken, body }: CurlRequest): string {
  const method = verb === 'get' ? '' : ` -X ${verb.toUpperCase()}`;
  const address = /[?&*]/.test(url) ? `'${url}'` : url;
  const command = `<b>curl</b>${method}`;
  const isLong = method.length + address.length > widestAddress;
  const lines = [
    ...(isLong ? [command, `<span>${escapeHtml(address)}</span>`] : [`${command} ${escapeHtml(address)}`]),
    ...(needsToken ? ['-H <i>"Authorization: Bearer $TOKEN"</i>'] : []),
    ...(body === undefined ? [] : ["-H <i>'Content-Type: application/json'</i>", `-d <i>${quote(body)}</i>`]),
  ];
  return lines.join(' \\\n  ');
}

const widestAddress = 46;

function quote(body: unknown): string {
  const json = JSON.stringify(body, null, 2)
    .replaceAll("'", String.raw`'\''`)
    .replaceAll('\n', '\n  ');
  return escapeHtml(`'${json}'`);
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
