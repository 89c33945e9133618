import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { VideoRow } from '../nouns/rows.ts';

interface WatchedVideo {
  readonly id: string;
  readonly download_url: string | null;
}

/**
 * Shown if the subscription includes downloads.
 * @param address of the watch page, which creates a download address for its viewer
 */
export function DownloadButton({ row, address }: { readonly row: VideoRow; readonly address: string }) {
  const result = useQuery({
    queryKey: ['download', row.id, address],
    // Renews the download address before it expires.
    refetchInterval: 300_000,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const answer = await fetch(`${address.split('#')[0]}/playback`, { method: 'POST', signal });
      const { videos = [] } = answer.ok ? ((await answer.json()) as { videos?: WatchedVideo[] }) : {};
      return videos.find(({ id }) => id === row.uuid)?.download_url ?? null;
    },
  });
  if (!result.data) return null;
  return (
    <Button
      component="a"
      href={result.data}
      download
      size="xs"
      variant="light"
      leftSection={<IconDownload size={14} />}
    >
      Download
    </Button>
  );
}
