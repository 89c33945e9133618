/** @jsxImportSource preact */
import type { ComponentChild } from 'preact';
import type { ReferencePage } from '../reference-page.ts';

/** A page of the guide as its author writes it. */
export interface GuidePage {
  readonly slug: string;
  readonly title: string;
  readonly lead: string;
  readonly topics: readonly Topic[];
}

export interface Topic {
  readonly id: string;
  readonly title: string;
  /** What else a search should find it by. */
  readonly words?: string;
  readonly said: ComponentChild;
  readonly samples?: ComponentChild;
}

export interface Addresses {
  /** The public address with `/api/v1`. */
  readonly server: string;
  /** The public address. */
  readonly root: string;
}

export function guidePage({ slug, title, lead, topics }: GuidePage): ReferencePage {
  return {
    slug,
    title,
    lead,
    group: 'Guide',
    places: topics.map((topic) => ({ id: topic.id, title: topic.title, words: () => topic.words ?? '' })),
    content: () => (
      <section class="chapter">
        <h1>{title}</h1>
        <p class="lead">{lead}</p>
        {topics.map((topic) => (
          <TopicSection key={topic.id} topic={topic} />
        ))}
      </section>
    ),
  };
}

function TopicSection({ topic: { id, title, said, samples } }: { topic: Topic }) {
  return (
    <section class="topic" id={id}>
      <div class="said">
        <h2>
          <a href={`#${id}`}>{title}</a>
        </h2>
        {said}
      </div>
      <div class="samples">{samples}</div>
    </section>
  );
}
