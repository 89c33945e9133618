/** Highlights code as HTML: `b`, `i`, `u` and `s` stand for names, strings, other values and comments. */
export function highlightCode(language: string, code: string): string {
  const highlighters: Readonly<Record<string, (html: string) => string>> = {
    sh: highlightShell,
    js: highlightScript,
    json: highlightJson,
  };
  const html = escapeHtml(code.trim());
  return highlighters[language]?.(html) ?? html;
}

/** Expects escaped JSON. */
export function highlightJson(html: string): string {
  return html.replaceAll(
    /("(?:[^"\\]|\\.)*")(:)?|\b(true|false|null)\b|(-?\b\d[\d.eE+-]*)/g,
    (match: string, string?: string, colon?: string) => {
      if (string === undefined) return `<u>${match}</u>`;
      return colon === undefined ? `<i>${string}</i>` : `<b>${string}</b>:`;
    },
  );
}

function highlightShell(html: string): string {
  return html.replaceAll(
    /('[^']*'|"(?:\\.|[^"\\])*")|(?<=^| )(#.*)$|(?<=^|\(|\| )(curl|openssl|npm)(?= )/gm,
    (match: string, quoted?: string, comment?: string) => {
      if (comment !== undefined) return `<s>${comment}</s>`;
      return quoted === undefined ? `<b>${match}</b>` : `<i>${quoted}</i>`;
    },
  );
}

function highlightScript(html: string): string {
  return html.replaceAll(
    /('[^']*'|`[^`]*`)|(\/\/.*)$|\b(import|from|const|let|await|for|of|if|try|catch|throw|new|async)\b/gm,
    (match: string, quoted?: string, comment?: string) => {
      if (comment !== undefined) return `<s>${comment}</s>`;
      return quoted === undefined ? `<b>${match}</b>` : `<i>${quoted}</i>`;
    },
  );
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function escapeAttribute(text: string): string {
  return escapeHtml(text).replaceAll('"', '&quot;');
}
