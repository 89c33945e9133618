import { Badge, Group, SimpleGrid, Text, Tooltip } from '@mantine/core';
import { Waiting } from '../../../kit/api/waiting.tsx';
import { IconCircleFilled, IconPlayerRecord, IconPlayerRecordFilled } from '@tabler/icons-react';
import { useRoomStatus } from '../meetings/live-dot.tsx';
import { describeFailure } from '../../../kit/api/client.ts';
import { RelativeTime } from '../../../kit/display/times.tsx';
import { text } from '../../../kit/noun/noun.ts';
import type { RoomRow } from '../nouns/rows.ts';
import { useHasViewers } from './use-has-viewers.ts';

/** The live status that the provider reports. */
export function RoomLiveStatus({ room }: { readonly room: RoomRow }) {
  const status = useRoomStatus(room.id);
  const state = status.data?.data;
  const isMeeting = room.room_type === 'meet';
  const hasViewers = useHasViewers(room);
  return (
    <section className="panel" aria-label="Live status" aria-live="polite">
      <div className="panel-body">
        {status.error && !state ? (
          <Text c="red">{describeFailure(status.error)}</Text>
        ) : !state ? (
          <Waiting h={22} w={220} />
        ) : (
          <Group justify="space-between" gap="lg">
            <div>
              <Headline
                status={state.status}
                isMeeting={isMeeting}
                isWatched={hasViewers && (state.participant_count ?? 0) > 0}
                isRunning={state.running === true}
                hasStarted={state.started_at !== null}
                recording={isMeeting && state.recording === true ? recordingOf(room, state.started_at) : null}
              />
              <Text c="dimmed" fz="sm" component="div">
                {state.started_at ? (
                  <>
                    Started <RelativeTime instant={state.started_at} />
                  </>
                ) : state.status === 'unknown' ? (
                  'The provider doesn’t respond'
                ) : (
                  startTexts[room.room_type]
                )}
                {state.provider && ` · ${state.provider.name}`}
              </Text>
            </div>
            {state.running && !isMeeting && hasViewers && <Figure label="Viewers" value={state.participant_count} />}
            {state.running && isMeeting && (
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

/** How the next session starts. */
const startTexts: Readonly<Record<RoomRow['room_type'], string>> = {
  meet: 'No participants',
  video: 'A session starts when someone opens the room page',
  live: 'A session starts with a broadcast, or when someone opens the room page',
  simulcast: 'A session starts with a broadcast, or when someone opens the room page',
};

function Headline(props: {
  readonly status: 'active' | 'inactive' | 'unknown';
  readonly isMeeting: boolean;
  readonly isWatched: boolean;
  readonly isRunning: boolean;
  /** A meeting that has started and is not running is empty. */
  readonly hasStarted: boolean;
  /** Null if the meeting was not created for recording. */
  readonly recording: RecordingState | null;
}) {
  if (props.status === 'unknown') return <Text fw={600}>State unknown</Text>;
  if (!props.isRunning) {
    return (
      <Group gap={10}>
        <IconCircleFilled size={9} color="var(--mantine-color-gray-4)" aria-hidden />
        <Text fw={600}>
          {!props.isMeeting ? 'No session running' : props.hasStarted ? 'The meeting is empty' : 'No meeting running'}
        </Text>
      </Group>
    );
  }
  return (
    <Group gap={10}>
      <Group className="running">
        <span className="pulse" />
      </Group>
      <Text fw={600}>
        {props.isMeeting ? 'Meeting running' : props.isWatched ? 'Being watched' : 'Session running'}
      </Text>
      {props.recording !== null && <Recording state={props.recording} />}
    </Group>
  );
}

type RecordingState = 'on' | 'automatic' | 'manual';

/**
 * Providers report whether a meeting can be recorded, not whether recording is on. Recording is certain only if the
 * room's settings have not changed since the start, record automatically and do not allow stopping.
 */
function recordingOf(room: RoomRow, startedAt: string | null): RecordingState {
  const settings = room['room_settings'] ?? {};
  if (startedAt === null || Date.parse(text(room, 'updated_at')) > Date.parse(startedAt)) return 'manual';
  if (settings['auto_start_recording'] !== true) return 'manual';
  return settings['allow_start_stop_recording'] === false ? 'on' : 'automatic';
}

function Recording({ state }: { readonly state: RecordingState }) {
  if (state === 'on') {
    return (
      <Badge
        variant="light"
        color="red"
        tt="none"
        fw={560}
        leftSection={<IconPlayerRecordFilled size={12} aria-hidden />}
      >
        Recording now
      </Badge>
    );
  }
  return (
    <Tooltip
      multiline
      w={260}
      label={
        state === 'automatic'
          ? 'Recording started automatically, and moderators can stop it. The server doesn’t report whether they have.'
          : 'Moderators start and stop the recording. The server doesn’t report whether it is running.'
      }
    >
      <Group gap={4} c="dimmed" tabIndex={0}>
        <IconPlayerRecord size={15} aria-hidden />
        <Text fz="sm">{state === 'automatic' ? 'recorded unless a moderator stopped it' : 'may be recorded'}</Text>
      </Group>
    </Tooltip>
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
