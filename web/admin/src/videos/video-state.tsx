import { Badge, Group, Progress, Text } from '@mantine/core';
import { StatusBadge } from '../../../kit/display/status.tsx';
import type { VideoRow } from '../nouns/rows.ts';

/** The state of a video, with the progress of its upload or processing. */
export function VideoStateCell({ row }: { readonly row: VideoRow }) {
  const { state, progress } = row;
  const hasProgress = state === 'uploading' || state === 'processing';
  return (
    <Group gap={8} component="span" display="inline-flex" wrap="nowrap">
      <StatusBadge value={state} />
      {hasProgress && (
        <>
          <Progress
            component="span"
            display="inline-flex"
            w={64}
            size="sm"
            value={progress}
            aria-label={state === 'uploading' ? 'Upload' : 'Processing'}
          />
          <Text component="span" fz="sm" c="dimmed">
            {progress} %
          </Text>
        </>
      )}
      {!row.published && <HiddenBadge />}
    </Group>
  );
}

function HiddenBadge() {
  return (
    <Badge variant="light" color="yellow" tt="none" fw={560} size="md">
      Hidden
    </Badge>
  );
}
