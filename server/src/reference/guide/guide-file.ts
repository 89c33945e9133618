import { lexer, type Token, type Tokens } from 'marked';
import type { GuideFile } from './read-guide.ts';

/** A page of the guide: `# Title`, a lead paragraph, then one section for each `##` heading. */
export interface GuideDocument {
  readonly slug: string;
  readonly title: string;
  readonly lead: string;
  readonly introduction: readonly Token[];
  readonly sections: readonly GuideSection[];
}

export interface GuideSection {
  /** The anchor that GitHub generates for the heading. */
  readonly id: string;
  readonly title: string;
  readonly prose: readonly Token[];
  readonly samples: readonly GuideSample[];
}

export interface GuideSample {
  readonly language: string;
  readonly title: string;
  readonly code: string;
  /** Samples marked `no-run` are not executed by the tests. */
  readonly isRun: boolean;
}

/** @throws when the file does not begin with a title and a paragraph. */
export function parseGuideFile({ slug, markdown }: GuideFile): GuideDocument {
  const [heading, lead, ...rest] = lexer(markdown).filter(({ type }) => type !== 'space');
  if (!isHeading(heading, 1) || lead?.type !== 'paragraph')
    throw new Error(`docs/guide/${slug}.md must begin with a title and a paragraph.`);
  const firstSection = rest.findIndex((token) => isHeading(token, 2));
  const end = firstSection === -1 ? rest.length : firstSection;
  return {
    slug,
    title: heading.text,
    lead: (lead as Tokens.Paragraph).text,
    introduction: rest.slice(0, end),
    sections: splitSections(rest.slice(end)),
  };
}

function splitSections(tokens: readonly Token[]): GuideSection[] {
  const sections: { heading: Tokens.Heading; content: Token[] }[] = [];
  for (const token of tokens) {
    if (isHeading(token, 2)) sections.push({ heading: token, content: [] });
    else sections.at(-1)?.content.push(token);
  }
  return sections.map(({ heading, content }) => ({
    id: anchorOf(heading.text),
    title: heading.text,
    prose: content.filter((token) => !isCode(token)),
    samples: content.filter(isCode).map(readSample),
  }));
}

function readSample({ lang = '', text }: Tokens.Code): GuideSample {
  const [language = ''] = lang.split(' ', 1);
  return {
    language,
    title: /title="([^"]+)"/.exec(lang)?.[1] ?? 'Example',
    code: text,
    isRun: ['sh', 'js'].includes(language) && !/\bno-run\b/.test(lang),
  };
}

/** Follows GitHub's rule for the anchors of headings. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

function isHeading(token: Token | undefined, depth: number): token is Tokens.Heading {
  return token?.type === 'heading' && (token as Tokens.Heading).depth === depth;
}

function isCode(token: Token): token is Tokens.Code {
  return token.type === 'code';
}
