import { Button, Center, Stack, Text } from '@mantine/core';
import { IconMovie } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../../kit/api/client.ts';
import { LinkAnchor } from '../../../kit/display/links.ts';
import { FailureNotice, LoadingNotice, Placeholder } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { useMay } from '../../../kit/noun/app.tsx';
import type { RoomRow, VideoRow } from '../nouns/rows.ts';
import { UploadPanel } from './upload-panel.tsx';
import { VideoPoster } from './video-poster.tsx';
import { VideoStateCell } from './video-state.tsx';
import { figuresOf, isInProgress, progressPollMs } from './video-format.ts';

const pageSize = 25;

/** The videos of a room in the order in which viewers see them, and the uploads into it. */
export function RoomVideos({ room }: { readonly room: RoomRow }) {
  const may = useMay();
  const [limit, setLimit] = useState(pageSize);
  const query = { limit, orderBy: 'sort_order', sortedBy: 'asc' } as const;
  const result = useQuery({
    queryKey: ['listRoomVideos', { room_id: room.id }, query],
    queryFn: ({ signal }) => client.listRoomVideos({ params: { room_id: room.id }, query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.data.some(isInProgress) ? progressPollMs : false),
  });
  const videos = result.data?.data;
  const total = result.data?.meta.pagination?.total ?? videos?.length ?? 0;
  return (
    <Stack gap="lg">
      {may('createVideo') && <UploadPanel roomId={room.id} />}
      <Panel flush title={videos === undefined ? 'Videos' : `Videos (${total})`}>
        {result.error && !videos ? (
          <FailureNotice error={result.error} onRetry={() => void result.refetch()} />
        ) : videos === undefined ? (
          <LoadingNotice />
        ) : videos.length === 0 ? (
          <Placeholder title="No videos yet" icon={<IconMovie stroke={1.4} />}>
            {may('createVideo')
              ? 'Upload the first one. Viewers find it on the page of the room.'
              : 'Videos that are uploaded into this room appear here.'}
          </Placeholder>
        ) : (
          <>
            {videos.map((video) => (
              <VideoLine key={video.id} row={video} />
            ))}
            {total > videos.length && (
              <Center p="md">
                <Button variant="default" loading={result.isFetching} onClick={() => setLimit(limit + pageSize)}>
                  Show more
                </Button>
              </Center>
            )}
          </>
        )}
      </Panel>
    </Stack>
  );
}

function VideoLine({ row }: { readonly row: VideoRow }) {
  return (
    <div className="video-row">
      <VideoPoster row={row} />
      <Stack gap={2} style={{ minWidth: 0 }}>
        <LinkAnchor to="/$noun/$id" params={{ noun: 'videos', id: row.id }} className="link" truncate inherit>
          {row.name}
        </LinkAnchor>
        <Text fz="sm" c="dimmed">
          {figuresOf(row)}
        </Text>
        {row.failure !== null && (
          <Text fz="sm" c="red">
            {row.failure.message}
          </Text>
        )}
      </Stack>
      <VideoStateCell row={row} />
    </div>
  );
}
