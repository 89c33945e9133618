/** @jsxImportSource preact */

/** A panel of code; `html` is safe markup, made by the functions of this file. */
export function Sample({ title, html }: { title: string; html: string }) {
  return (
    <figure class="sample">
      <figcaption>{title}</figcaption>
      <pre tabIndex={0} dangerouslySetInnerHTML={{ __html: html }} />
    </figure>
  );
}

/** JSON with keys, strings and other values told apart by `b`, `i` and `u`. */
export function paintJson(value: unknown): string {
  const text = escapeHtml(JSON.stringify(value, null, 2));
  return text.replaceAll(
    /("(?:[^"\\]|\\.)*")(:)?|\b(true|false|null)\b|(-?\b\d[\d.eE+-]*)/g,
    (match: string, string?: string, colon?: string) => {
      if (string === undefined) return `<u>${match}</u>`;
      return colon === undefined ? `<i>${string}</i>` : `<b>${string}</b>:`;
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
  const lines = [
    `<b>curl</b>${method} ${escapeHtml(address)}`,
    ...(needsToken ? ['-H <i>"Authorization: Bearer $TOKEN"</i>'] : []),
    ...(body === undefined ? [] : ["-H <i>'Content-Type: application/json'</i>", `-d <i>${quote(body)}</i>`]),
  ];
  return lines.join(' \\\n  ');
}

function quote(body: unknown): string {
  const json = JSON.stringify(body, null, 2)
    .replaceAll("'", String.raw`'\''`)
    .replaceAll('\n', '\n  ');
  return escapeHtml(`'${json}'`);
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
