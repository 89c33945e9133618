import { Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { IconCamera, IconPhoto } from '@tabler/icons-react';
import { type RefObject, useState } from 'react';
import { client } from '../../../kit/api/client.ts';
import { useAction } from '../../../kit/api/use-action.ts';
import { Panel } from '../../../kit/display/page-header.tsx';
import { useMay } from '../../../kit/noun/app.tsx';
import type { VideoRow } from '../nouns/rows.ts';
import { captureFrame } from './capture-frame.ts';
import { VideoPoster } from './video-poster.tsx';
import { isPlayable } from './video-format.ts';

const maxPosterBytes = 10_000_000;

/** Shows the poster, and replaces it with a file or with the picture of the paused preview. */
export function PosterPanel(props: { readonly row: VideoRow; readonly preview: RefObject<HTMLIFrameElement | null> }) {
  const { row, preview } = props;
  const may = useMay();
  const { isBusy, run } = useAction();

  const [problem, setProblem] = useState<string | null>(null);

  function set(picture: Blob): void {
    setProblem(null);
    run(() => client.setVideoPoster({ params: { video_id: row.id }, body: picture }), 'The poster has been set.');
  }

  function choose(file: File | null): void {
    if (file === null) return;
    if (file.size > maxPosterBytes) setProblem('The picture is larger than 10 MB.');
    else set(file);
  }

  async function capture(): Promise<void> {
    const picture = await captureFrame(preview.current);
    if (picture === null) setProblem('Start the preview, and pause it at the picture that you want.');
    else set(picture);
  }

  return (
    <Panel title="Poster">
      <Group gap="lg" align="flex-start">
        <div style={{ flex: '0 0 176px' }}>
          <VideoPoster row={row} />
        </div>
        <Stack gap="sm" style={{ flex: '1 1 200px' }}>
          <Text c="dimmed" fz="sm">
            Shown before the video plays.
          </Text>
          {may('setVideoPoster') && isPlayable(row) && (
            <Group gap="xs">
              <FileButton accept="image/jpeg,image/png,image/webp" onChange={choose}>
                {(button) => (
                  <Button
                    {...button}
                    size="xs"
                    variant="default"
                    loading={isBusy}
                    leftSection={<IconPhoto size={14} />}
                  >
                    Choose a picture
                  </Button>
                )}
              </FileButton>
              <Button
                size="xs"
                variant="default"
                disabled={isBusy}
                leftSection={<IconCamera size={14} />}
                onClick={() => void capture()}
              >
                Use the preview’s picture
              </Button>
            </Group>
          )}
          {problem !== null && (
            <Text c="red" fz="sm" role="alert">
              {problem}
            </Text>
          )}
        </Stack>
      </Group>
    </Panel>
  );
}
