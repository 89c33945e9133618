import { Button, Group, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { type RefObject, useState } from 'react';
import { client } from '../../../kit/api/client.ts';
import { Panel } from '../../../kit/display/page-header.tsx';
import { showFailure } from '../../../kit/display/notices/toasts.ts';
import { useHolds } from '../../../kit/noun/app.tsx';
import { useCaller } from '../session/caller.tsx';
import type { VideoRow } from '../nouns/rows.ts';
import { DownloadButton } from '../videos/download-button.tsx';
import '../videos/videos.css';

interface Props {
  readonly roomId: string;
  /** The video that the page opens with. */
  readonly video?: VideoRow;
  /** Why there is nothing to play now; null if there is something. */
  readonly obstacle: string | null;
  readonly frame?: RefObject<HTMLIFrameElement | null>;
}

/** The page of the room as viewers see it. Watching here counts as a viewer, so it starts on request only. */
export function RoomPreview({ roomId, video, obstacle, frame }: Props) {
  const poster = video?.poster_url ?? null;
  const caller = useCaller();
  const holds = useHolds();
  const [address, setAddress] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  if (!holds('join-rooms')) return null;

  async function start(): Promise<void> {
    setBusy(true);
    try {
      const params = { room_id: roomId };
      const { data } = await client.joinRoom({ params, body: { role: 'moderator', name: caller.full_name } });
      setAddress(video === undefined ? data.url : `${data.url}#${video.uuid}`);
    } catch (error) {
      showFailure(error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Panel
      flush
      title="Preview"
      aside={
        address !== null && (
          <Group gap="xs">
            {video && <DownloadButton row={video} address={address} />}
            <Button size="xs" variant="default" onClick={() => setAddress(null)}>
              Close preview
            </Button>
          </Group>
        )
      }
    >
      {address === null ? (
        <div
          className="preview-start"
          style={
            poster === null
              ? {}
              : { backgroundImage: `linear-gradient(rgb(0 0 0 / 55%), rgb(0 0 0 / 55%)), url("${poster}")` }
          }
        >
          {obstacle === null ? (
            <>
              <Button leftSection={<IconPlayerPlay size={16} />} loading={isBusy} onClick={() => void start()}>
                Start preview
              </Button>
              <Text fz="sm">You count as a viewer while you watch.</Text>
            </>
          ) : (
            <Text>{obstacle}</Text>
          )}
        </div>
      ) : (
        // The page belongs to the platform and has the same origin, so a sandbox would not protect anything.
        // oxlint-disable-next-line react/iframe-missing-sandbox
        <iframe
          ref={frame}
          className="preview-frame"
          src={address}
          title="Preview of the room page"
          allow="autoplay; fullscreen; picture-in-picture"
        />
      )}
    </Panel>
  );
}
