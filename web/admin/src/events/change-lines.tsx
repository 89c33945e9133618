import { Text } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { MemberValue } from '../../../kit/display/member-value.tsx';
import { isMask } from '../../../kit/format/to-text.ts';
import { changesOf, type EventLike, type MemberChange } from './event-changes.ts';

const maxLines = 3;

/** The old and new values of the first changed members, as far as they fit into a line. */
export function ChangeLines({ event }: { readonly event: EventLike }) {
  const lines = changesOf(event).filter(({ before, after }) => [before, after].every(isShort));
  if (lines.length === 0) return null;
  return (
    <ul className="change-lines">
      {lines.slice(0, maxLines).map((change) => (
        <li key={change.name}>
          <Text component="span" inherit c="dimmed">
            {change.label}:
          </Text>
          <Side change={change} side="before" event={event} />
          <IconArrowRight size={13} aria-label="to" />
          <Side change={change} side="after" event={event} />
        </li>
      ))}
    </ul>
  );
}

function Side(props: { readonly change: MemberChange; readonly side: 'before' | 'after'; readonly event: EventLike }) {
  const { change, side, event } = props;
  const values = side === 'before' ? { ...event.data, ...event.previous } : event.data;
  return (
    <span className="change-side" data-side={side}>
      <MemberValue name={change.name} value={change[side]} values={values} />
    </span>
  );
}

function isShort(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === 'object' ? Array.isArray(value) && value.length < 5 : !isMask(value);
}
