/** @jsxImportSource preact */
import type { Token } from 'marked';
import { escapeHtml, highlightCode } from '../operation/highlight-code.ts';
import { useReference } from '../reference-context.tsx';
import type { ReferencePage } from '../reference-page.ts';
import { Sample } from '../operation/sample.tsx';
import { type GuideDocument, type GuideSample, type GuideSection, parseGuideFile } from './guide-file.ts';
import type { GuideFile } from './read-guide.ts';
import { renderMarkdown } from './render-markdown.ts';

export function guidePages(files: readonly GuideFile[]): ReferencePage[] {
  return files.map(parseGuideFile).map((document) => ({
    slug: document.slug,
    title: document.title,
    lead: document.lead.replaceAll('`', ''),
    group: 'Guide',
    anchors: document.sections.map(({ id, title, prose }) => ({ id, title, words: () => distinctWords(prose) })),
    content: () => <GuidePage document={document} />,
  }));
}

/** The public address of the samples; readers of `/docs` see the address of their own installation. */
const exampleRoot = 'https://foyer.example.com';

function GuidePage({ document: { title, lead, introduction, sections } }: { document: GuideDocument }) {
  return (
    <section class="chapter">
      <h1>{title}</h1>
      <p class="lead">{lead.replaceAll('`', '')}</p>
      {introduction.length > 0 && <Prose tokens={introduction} />}
      {sections.map((section) => (
        <TopicSection key={section.id} section={section} />
      ))}
    </section>
  );
}

function TopicSection({ section: { id, title, prose, samples } }: { section: GuideSection }) {
  const { hrefs } = useReference();
  const heading = `<h2><a href="#${id}">${escapeHtml(title)}</a></h2>`;
  return (
    <section class={samples.length > 0 ? 'topic' : 'topic plain'} id={id}>
      <div class="description" dangerouslySetInnerHTML={{ __html: heading + renderMarkdown(prose, hrefs) }} />
      {samples.length > 0 && (
        <div class="samples">
          {samples.map((sample) => (
            <GuideCode key={sample.code} sample={sample} />
          ))}
        </div>
      )}
    </section>
  );
}

function Prose({ tokens }: { tokens: readonly Token[] }) {
  const { hrefs } = useReference();
  return <div class="description" dangerouslySetInnerHTML={{ __html: renderMarkdown(tokens, hrefs) }} />;
}

function GuideCode({ sample: { language, title, code } }: { sample: GuideSample }) {
  const { root } = useReference();
  return <Sample title={title} html={highlightCode(language, code.replaceAll(exampleRoot, root))} wraps />;
}

/** Every word of the prose once, for the search. */
function distinctWords(tokens: readonly Token[]): string {
  const text = tokens.map(({ raw }) => raw).join(' ');
  return [...new Set(text.toLowerCase().match(/[\p{L}\d][\p{L}\d_-]+/gu) ?? [])].join(' ');
}
