import { Badge, Group, Text, Tooltip } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { Absent } from '../../../kit/display/field-value.tsx';
import { bytesText, lengthOf, minutesBetween } from '../../../kit/format/lengths.ts';
import { StatusBadge } from '../../../kit/display/status.tsx';
import { RelativeTime } from '../../../kit/display/times.tsx';
import { useNow } from '../../../kit/display/use-now.ts';
import { text, textOrNull } from '../../../kit/noun/noun.ts';
import type { RecordingRow } from '../nouns/rows.ts';

export interface Playback {
  readonly type: string;
  /** In minutes. */
  readonly length: number;
  readonly url: string;
  readonly expires_at: string;
}

export function playbacksOf(row: RecordingRow): readonly Playback[] {
  return row.playback ?? [];
}

/** The state of a recording, with a badge if the provider has not applied a change yet. */
export function RecordingStateCell({ row }: { readonly row: RecordingRow }) {
  return (
    <Group gap={6} component="span" display="inline-flex" wrap="nowrap">
      <StatusBadge value={text(row, 'state')} />
      {row.changes_pending && <PendingBadge />}
    </Group>
  );
}

export function PendingBadge() {
  return (
    <Tooltip label="The provider has not applied the change yet. The request is repeated automatically.">
      <Badge variant="light" color="orange" tt="none" fw={560} size="md" leftSection={<IconRefresh size={12} />}>
        Pending
      </Badge>
    </Tooltip>
  );
}

/** When it was recorded, and how long it is. */
export function RecordedCell({ row }: { readonly row: RecordingRow }) {
  const startedAt = textOrNull(row, 'started_at');
  if (startedAt === null) return <Absent />;
  const length = lengthInMinutes(row);
  return (
    <Group gap={6} component="span" display="inline-flex" wrap="nowrap">
      <RelativeTime instant={startedAt} />
      {length !== null && (
        <Text component="span" inherit c="dimmed">
          · {lengthOf(length)}
        </Text>
      )}
    </Group>
  );
}

export function SizeCell({ row }: { readonly row: RecordingRow }) {
  const size = Number(row.size_bytes);
  return size === 0 ? <Absent /> : <span>{bytesText(size)}</span>;
}

/** The expiry, highlighted in the last seven days. */
export function ExpiryCell({ row }: { readonly row: RecordingRow }) {
  const nowMs = useNow();
  const at = textOrNull(row, 'expires_at');
  if (at === null) {
    return (
      <Text component="span" inherit c="dimmed">
        never
      </Text>
    );
  }
  const isSoon = Date.parse(at) - nowMs < 7 * 86_400_000;
  return (
    <Text component="span" inherit {...(isSoon ? { c: 'red', fw: 560 } : {})}>
      <RelativeTime instant={at} />
    </Text>
  );
}

/** The length of the longest format, otherwise of the recording. */
export function lengthInMinutes(row: RecordingRow): number | null {
  const lengths = playbacksOf(row).map(({ length }) => length);
  if (lengths.length > 0) return Math.max(...lengths);
  const [from, to] = [textOrNull(row, 'started_at'), textOrNull(row, 'ended_at')];
  return from === null || to === null ? null : minutesBetween(from, to, 0);
}
