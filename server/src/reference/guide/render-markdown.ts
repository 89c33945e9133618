import { customerRights } from '@foyer/contract/conventions/rights.ts';
import { Marked, type Token, type Tokens } from 'marked';
import { escapeAttribute, escapeHtml } from '../operation/highlight-code.ts';

/**
 * Renders the prose of the guide as HTML. Inline code that names an operation (`POST /rooms`), an error code, a
 * permission, a scope or a feature links to its description.
 */
export function renderMarkdown(tokens: readonly Token[], hrefs: ReadonlyMap<string, string>): string {
  const marked = new Marked({
    renderer: {
      codespan: ({ text }) => linkCode(text, hrefs),
      link({ href, tokens: content }) {
        const text = this.parser.parseInline(content).replaceAll(/<\/?a\b[^>]*>/g, '');
        return `<a href="${escapeAttribute(addressOf(href))}">${text}</a>`;
      },
      table(table) {
        const heads = table.header.map(({ text }) => text);
        const cells = ({ tokens: content }: Tokens.TableCell) => this.parser.parseInline(content);
        const rows = table.rows.map((row) => renderRow(row.map(cells), heads));
        const head = heads.map((text) => `<th scope="col">${escapeHtml(text)}</th>`).join('');
        const label = escapeAttribute(`Table: ${heads.join(', ')}`);
        return `<div class="wide" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
      },
      html: ({ text }) => escapeHtml(text),
    },
  });
  return marked.parser([...tokens]);
}

function renderRow([first, ...others]: string[], heads: readonly string[]): string {
  const isWide = heads.length > 2;
  const cells = others.map((html, index) => {
    const label = isWide ? ` data-label="${escapeAttribute((heads[index + 1] ?? '').toLowerCase())}"` : '';
    return `<td${html === '' ? '' : label}>${html}</td>`;
  });
  return `<tr><th scope="row">${first ?? ''}</th>${cells.join('')}</tr>`;
}

/** Some rights have the name of a permission. They are not linked, because they are not that permission. */
const rights: ReadonlySet<string> = new Set(customerRights);

function linkCode(text: string, hrefs: ReadonlyMap<string, string>): string {
  const code = `<code>${escapeHtml(text)}</code>`;
  const href = text.startsWith('/docs/') ? text : rights.has(text) ? undefined : hrefs.get(text);
  return href?.includes('#') || href === text ? `<a href="${escapeAttribute(href ?? '')}">${code}</a>` : code;
}

/** @throws for a relative link to anything but another page of the guide: `/docs` could not serve it. */
function addressOf(href: string): string {
  if (/^(https:\/\/|#)/.test(href)) return href;
  const [, slug, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (slug === undefined) throw new Error(`The guide links to ${href}, which /docs does not serve.`);
  return `/docs/${slug}${anchor}`;
}
