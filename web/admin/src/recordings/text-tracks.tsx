import { ActionIcon, Badge, Group, Text, Tooltip } from '@mantine/core';
import { Waiting } from '../../../kit/api/waiting.tsx';
import { IconExternalLink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { wordOf } from '../../../kit/format/label.ts';
import { Panel } from '../../../kit/display/page-header.tsx';
import { client, describeFailure } from '../../../kit/api/client.ts';

/** Subtitles and captions, read from the provider when the panel opens. */
export function TextTracks({ recordingId }: { readonly recordingId: string }) {
  const result = useQuery({
    queryKey: ['readRecordingTextTracks', recordingId],
    staleTime: 60_000,
    queryFn: ({ signal }) => client.readRecordingTextTracks({ params: { recording_id: recordingId }, signal }),
  });
  const tracks = result.data?.data.text_tracks;
  return (
    <Panel flush title="Subtitles and captions">
      {result.error ? (
        <Text className="line" c="dimmed">
          {describeFailure(result.error)}
        </Text>
      ) : tracks === undefined ? (
        <div className="line">
          <Waiting h={16} w="60%" />
        </div>
      ) : tracks.length === 0 ? (
        <Text className="line" c="dimmed">
          The provider has none.
        </Text>
      ) : (
        tracks.map((track) => (
          <Group
            key={`${track.kind} ${track.language} ${track.label}`}
            className="line"
            justify="space-between"
            wrap="nowrap"
          >
            <Group gap="xs">
              <Text fw={540}>{track.label}</Text>
              <Badge variant="default" tt="none" fw={450}>
                {languageName(track.language)}
              </Badge>
              <Text fz="sm" c="dimmed">
                {wordOf(track.kind)}
              </Text>
            </Group>
            <Tooltip label="Open as WebVTT">
              <ActionIcon
                component="a"
                href={track.url}
                target="_blank"
                rel="noreferrer"
                variant="subtle"
                color="gray"
                aria-label={`Open the ${track.kind} “${track.label}” as WebVTT`}
              >
                <IconExternalLink size={16} />
              </ActionIcon>
            </Tooltip>
          </Group>
        ))
      )}
    </Panel>
  );
}

function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames('en', { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
