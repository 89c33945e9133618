import { Alert, Button, Group, SimpleGrid, Stack } from '@mantine/core';
import { IconAlertCircle, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { client } from '../../../kit/api/client.ts';
import { useAction } from '../../../kit/api/use-action.ts';
import { FactList, Facts, IdentityPanel, MapPanel } from '../../../kit/display/facts.tsx';
import { Absent } from '../../../kit/display/field-value.tsx';
import { LinkAnchor } from '../../../kit/display/links.ts';
import { Panel } from '../../../kit/display/page-header.tsx';
import { bytesText } from '../../../kit/format/lengths.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import { nouns } from '../nouns/nouns.ts';
import type { VideoRow } from '../nouns/rows.ts';
import { DetailPage } from '../resource/detail-page.tsx';
import type { ScreenProps } from '../resource/screen-props.ts';
import { RoomPreview } from '../rooms/room-preview.tsx';
import { CaptionsPanel } from './captions-panel.tsx';
import { PosterPanel } from './poster-panel.tsx';
import { VideoStateCell } from './video-state.tsx';
import { formatDuration, isPlayable, isInProgress, progressPollMs } from './video-format.ts';

export function VideoScreen({ row: loadedRow }: ScreenProps<VideoRow>) {
  const frame = useRef<HTMLIFrameElement>(null);
  const row = useProgress(loadedRow);
  const noun = nouns.videos;
  return (
    <DetailPage
      noun={noun}
      row={row}
      badges={<VideoStateCell row={row} />}
      summary={
        <LinkAnchor to="/$noun/$id" params={{ noun: 'rooms', id: row.room_id }} inherit>
          {noun.detailOf(loadedRow) ?? 'Room'}
        </LinkAnchor>
      }
      actions={row.state === 'failed' && <RetryButton row={row} />}
      notice={row.failure !== null && <FailureAlert message={row.failure.message} />}
      sections={[
        {
          key: 'overview',
          title: 'Overview',
          content: (
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              <Stack gap="lg">
                <RoomPreview roomId={row.room_id} video={row} obstacle={obstacleOf(row)} frame={frame} />
                <PosterPanel row={row} preview={frame} />
                <CaptionsPanel row={row} />
              </Stack>
              <Stack gap="lg">
                <Panel title="Video">
                  <FactList facts={factsOf(row)} />
                </Panel>
                <Panel title="For viewers">
                  <Facts noun={noun} row={row} names={['description', 'published', 'sort_order']} />
                </Panel>
                <MapPanel title="Metadata" map={row.video_metadata} />
                <IdentityPanel noun={noun} row={row} />
              </Stack>
            </SimpleGrid>
          ),
        },
      ]}
    />
  );
}

/** Polls a video while it is uploaded or processed. */
function useProgress(row: VideoRow): VideoRow {
  const result = useQuery({
    queryKey: ['readVideo', row.id, 'progress'],
    enabled: isInProgress(row),
    queryFn: ({ signal }) => client.readVideo({ params: { video_id: row.id }, signal }),
    refetchInterval: progressPollMs,
  });
  const newer = result.data?.data;
  return newer !== undefined && newer.updated_at > row.updated_at ? { ...row, ...newer } : row;
}

function obstacleOf(row: VideoRow): string | null {
  if (!isPlayable(row) && row.failure !== null) return 'The video could not be processed.';
  if (!isPlayable(row)) return 'You can watch the video as soon as its first resolution is processed.';
  return row.published ? null : 'Hidden videos are not on the page of the room. Publish this one to watch it.';
}

function FailureAlert({ message }: { readonly message: string }) {
  return (
    <Alert
      color="red"
      variant="light"
      mb="lg"
      icon={<IconAlertCircle size={18} />}
      title="The video could not be processed"
    >
      {message}
    </Alert>
  );
}

function RetryButton({ row }: { readonly row: VideoRow }) {
  const may = useMay();
  const { isBusy, run } = useAction();
  if (!may('retryVideo')) return null;
  return (
    <Button
      leftSection={<IconRefresh size={16} />}
      loading={isBusy}
      onClick={() =>
        run(() => client.retryVideo({ params: { video_id: row.id } }), 'The video is being processed again.')
      }
    >
      Process again
    </Button>
  );
}

const absent = <Absent key="absent" />;

function factsOf(row: VideoRow): (readonly [string, React.ReactNode])[] {
  const { width, height, stored_bytes: stored, duration_seconds: seconds, renditions } = row;
  return [
    ['Length', seconds === null ? absent : formatDuration(seconds)],
    ['Resolution', width === null || height === null ? absent : `${width} × ${height}`],
    [
      'Renditions',
      renditions.length === 0 ? (
        absent
      ) : (
        <Group key="renditions" gap={4} component="span">
          {renditions
            .map(
              (rendition) =>
                `${rendition.height}p (${(rendition.bitrate / 1e6).toLocaleString('en-GB', { maximumFractionDigits: 1 })} Mbit/s)`,
            )
            .join(', ')}
        </Group>
      ),
    ],
    ['File size', bytesText(row.size_bytes)],
    ['Storage used', bytesText(stored === null || stored === 0 ? row.size_bytes : stored)],
  ];
}
