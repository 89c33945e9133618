import { Group, SimpleGrid, Skeleton, Text } from '@mantine/core';
import { IconCircleFilled, IconPlayerRecord } from '@tabler/icons-react';
import { useRoomStatus } from '../detail/live-dot.tsx';
import { describeFailure } from '../platform.ts';
import { RelativeTime } from '../layout/times.tsx';

/** What the provider says about the room at this moment. */
export function RoomLiveStatus({ roomId }: { readonly roomId: string }) {
  const status = useRoomStatus(roomId, 10_000);
  const state = status.data?.data;
  return (
    <section className="panel" aria-label="Live status" aria-live="polite">
      <div className="panel-body">
        {status.error && !state ? (
          <Text c="red">{describeFailure(status.error)}</Text>
        ) : !state ? (
          <Skeleton h={22} w={220} />
        ) : (
          <Group justify="space-between" gap="lg">
            <div>
              <Headline
                status={state.status}
                isRunning={state.running === true}
                isOpen={state.started_at !== null}
                mayBeRecorded={state.recording === true}
              />
              <Text c="dimmed" fz="sm" component="div">
                {state.started_at ? (
                  <>
                    Started <RelativeTime instant={state.started_at} />
                  </>
                ) : (
                  sentences[state.status]
                )}
                {state.provider && ` · on ${state.provider.name}`}
              </Text>
            </div>
            {state.running && (
              <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="xl">
                <Figure label="Participants" value={state.participant_count} />
                <Figure label="Moderators" value={state.moderator_count} />
                <Figure label="With audio" value={state.voice_participant_count} />
                <Figure label="Webcams" value={state.video_count} />
              </SimpleGrid>
            )}
          </Group>
        )}
      </div>
    </section>
  );
}

const sentences = {
  active: 'Nobody is in it.',
  inactive: 'Nobody is in it.',
  unknown: 'The provider does not answer, so nobody can tell.',
};

function Headline(props: {
  readonly status: 'active' | 'inactive' | 'unknown';
  readonly isRunning: boolean;
  /** It has begun, and nobody is in it at this moment. */
  readonly isOpen: boolean;
  /** The provider says whether it was opened so, not whether somebody has pressed the button. */
  readonly mayBeRecorded: boolean;
}) {
  if (props.status === 'unknown') return <Text fw={600}>State unknown</Text>;
  if (!props.isRunning) {
    return (
      <Group gap={10}>
        <IconCircleFilled size={9} color="var(--mantine-color-gray-4)" aria-hidden />
        <Text fw={600}>{props.isOpen ? 'Nobody is in the meeting' : 'No meeting running'}</Text>
      </Group>
    );
  }
  return (
    <Group gap={10}>
      <Group className="running">
        <span className="pulse" />
      </Group>
      <Text fw={600}>Meeting running</Text>
      {props.mayBeRecorded && (
        <Group gap={4} c="dimmed">
          <IconPlayerRecord size={15} aria-hidden />
          <Text fz="sm">can be recorded</Text>
        </Group>
      )}
    </Group>
  );
}

function Figure({ label, value }: { readonly label: string; readonly value: number | null }) {
  return (
    <div>
      <Text fz="xl" fw={620} lh={1.2}>
        {value ?? '–'}
      </Text>
      <Text fz="xs" c="dimmed">
        {label}
      </Text>
    </div>
  );
}
