import { Text, Tooltip } from '@mantine/core';
import { formatDay, formatInstant, relativeDay, relativeTime } from '../format/instants.ts';
import { useNow } from './use-now.ts';

/** A relative time, with the exact instant on hover and for screen readers. */
export function RelativeTime({ instant }: { readonly instant: string }) {
  const nowMs = useNow();
  return (
    <Tooltip label={`${formatInstant(instant)} (${instant.slice(0, 19)}Z)`}>
      <time dateTime={instant}>{relativeTime(instant, nowMs)}</time>
    </Tooltip>
  );
}

/** A day, with its distance from today on hover or beside the day. */
export function Day({ day, withRelativeDay = false }: { readonly day: string; readonly withRelativeDay?: boolean }) {
  const nowMs = useNow();
  const relativeText = relativeDay(day, nowMs);
  return (
    <Tooltip label={relativeText} disabled={withRelativeDay}>
      <time dateTime={day.slice(0, 10)}>
        {formatDay(day)}
        {withRelativeDay && (
          <Text component="span" inherit c="dimmed">
            {' '}
            · {relativeText}
          </Text>
        )}
      </time>
    </Tooltip>
  );
}
