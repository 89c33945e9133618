import './event-timeline.css';
import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { NamedReference } from '../../../kit/display/field-value.tsx';
import { useMay } from '../../../kit/noun/app.tsx';
import type { EventRow } from '../nouns/rows.ts';
import type { EventLike } from './event-changes.ts';
import { type SentencePart, sentenceOf } from './event-sentence.ts';

/** The event as a sentence with links to the resources. */
export function Sentence({ event }: { readonly event: EventLike }) {
  return (
    <>
      {sentenceOf(event).map((part, index) => (
        // The parts never change, so the index is a stable key.
        <Part key={index} part={part} />
      ))}
    </>
  );
}

export function SentenceCell({ row }: { readonly row: EventRow }) {
  return (
    <div className="event-sentence">
      <Sentence event={row} />
    </div>
  );
}

function Part({ part }: { readonly part: SentencePart }) {
  const may = useMay();
  const { text, noun, id, prefix } = part;
  if (noun === undefined || id === undefined || !may(noun.read)) return <>{text}</>;
  if (prefix !== undefined)
    return (
      <>
        {prefix}
        <NamedReference noun={noun} id={id} />
      </>
    );
  return (
    <Text component="span" inherit fw={560}>
      <Link to="/$noun/$id" params={{ noun: noun.path, id }} className="quiet-link">
        {text}
      </Link>
    </Text>
  );
}
