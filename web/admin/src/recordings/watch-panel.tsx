import { Button, Group, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { Placeholder } from '../../../kit/display/notices/notices.tsx';
import { lengthOf } from '../../../kit/format/lengths.ts';
import { wordOf } from '../../../kit/format/label.ts';
import { CopyAction } from '../../../kit/display/copyable.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { RelativeTime } from '../../../kit/display/times.tsx';
import { text } from '../../../kit/noun/noun.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import { CreateLink } from './create-link.tsx';
import { playbacksOf } from './recording-cells.tsx';
import type { RecordingRow } from '../nouns/rows.ts';

/** All playback formats, each with an expiring link. */
export function WatchPanel({ row }: { readonly row: RecordingRow }) {
  const playbacks = playbacksOf(row);
  const may = useMay();
  return (
    <Panel
      flush
      title="Watch"
      aside={
        playbacks.length > 0 && may('createRecordingLink') && <CreateLink recordingId={row.id} playbacks={playbacks} />
      }
    >
      {playbacks.length === 0 ? (
        <Placeholder title="Nothing to watch" icon={<IconPlayerPlay stroke={1.4} />}>
          {reasons[text(row, 'state')] ?? 'The provider offers no format of this recording.'}
        </Placeholder>
      ) : (
        <>
          {playbacks.map((playback) => (
            <Group key={playback.type} className="line" justify="space-between" wrap="nowrap">
              <div style={{ minWidth: 0 }}>
                <Text fw={560}>{wordOf(playback.type)}</Text>
                <Text fz="sm" c="dimmed" component="div">
                  {lengthOf(playback.length)} · link expires <RelativeTime instant={playback.expires_at} />
                </Text>
              </div>
              <Group gap={6} wrap="nowrap">
                <CopyAction value={playback.url} label={`the link to “${wordOf(playback.type)}”`} />
                <Button
                  component="a"
                  href={playback.url}
                  target="_blank"
                  rel="noreferrer"
                  size="xs"
                  variant="light"
                  leftSection={<IconPlayerPlay size={14} />}
                  aria-label={`Watch “${wordOf(playback.type)}” in a new tab`}
                >
                  Watch
                </Button>
              </Group>
            </Group>
          ))}
          <Text className="line" c="dimmed" fz="sm">
            Anyone with a link can watch until it expires, without signing in. To choose when it expires, create a link.
          </Text>
        </>
      )}
    </Panel>
  );
}

const reasons: Readonly<Record<string, string>> = {
  processing: 'The provider is still processing the recording. This takes about as long as the meeting.',
  processed: 'The recording is processed, but not published yet.',
  unpublished: 'The recording is hidden. Publish it to make it available.',
};
