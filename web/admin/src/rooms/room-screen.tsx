import { Anchor, Badge, Button, Group, SimpleGrid, Stack } from '@mantine/core';
import { IconExternalLink, IconLogin2 } from '@tabler/icons-react';
import { type ReactNode, Suspense, useState } from 'react';
import { CustomerBadge } from '../customers/customer-status.tsx';
import { DetailPage, type Section } from '../resource/detail-page.tsx';
import { Facts, IdentityPanel, MapPanel } from '../../../kit/display/facts.tsx';
import { lazyPart } from '../../../kit/display/lazy-part.tsx';
import { LoadingNotice } from '../../../kit/display/notices/notices.tsx';
import { CopyAction } from '../../../kit/display/copyable.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { StatusBadge } from '../../../kit/display/status.tsx';
import { showFailure } from '../../../kit/display/notices/toasts.ts';
import { nouns } from '../nouns/nouns.ts';
import { levels, scopeOf } from '../people/levels.ts';
import { PeopleSection } from '../people/people-section.tsx';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { InvitePeople } from './invite-people.tsx';
import { RoomAccessCodes } from './tokens/room-access-codes.tsx';
import { EventTimeline } from '../events/event-timeline.tsx';
import { JoinCheck } from './join-check/join-check.tsx';
import { RoomFeatures } from './room-features.tsx';
import { RoomLiveStatus } from './room-live-status.tsx';
import { RoomMeetings } from './room-meetings.tsx';
import { RoomRecordings } from './room-recordings.tsx';
import { RoomSettings } from './room-settings.tsx';
import { RoomTokens } from './tokens/room-tokens.tsx';
import { useTransfer } from './transfer-room.tsx';
import { useHasViewers } from './use-has-viewers.ts';
import type { EndpointName } from '@foyer/sdk';
import { useHolds, useMay } from '../../../kit/noun/app.tsx';
import { useCaller } from '../session/caller.tsx';
import type { ScreenProps } from '../resource/screen-props.ts';
import type { RoomRow } from '../nouns/rows.ts';

const RoomVideos = lazyPart(async () => (await import('../videos/room-videos.tsx')).RoomVideos);
const RoomStream = lazyPart(async () => (await import('../streams/room-stream.tsx')).RoomStream);
const RoomOutputs = lazyPart(async () => (await import('../outputs/room-outputs.tsx')).RoomOutputs);

export function RoomScreen({ row }: ScreenProps<RoomRow>) {
  const may = useMay();
  const noun = nouns.rooms;
  const transfer = useTransfer(row);
  const url = row.url;
  const isMeeting = row.room_type === 'meet';
  return (
    <DetailPage
      noun={noun}
      row={row}
      menu={transfer.item}
      dialogs={transfer.dialog}
      badges={
        <Group gap={6}>
          <StatusBadge value={row.status} />
          <CustomerBadge row={row} />
          {row.is_public && (
            <Badge variant="light" color="blue" tt="none" fw={560}>
              Public
            </Badge>
          )}
        </Group>
      }
      summary={
        <Group gap={4} wrap="nowrap">
          <Anchor href={url} target="_blank" rel="noreferrer" truncate fz="md">
            {url}
          </Anchor>
          <CopyAction value={url} label="the room’s address" />
        </Group>
      }
      actions={
        <>
          <JoinAction room={row} />
          <InvitePeople room={row} />
        </>
      }
      sections={[
        ...mediaSections(row, may),
        {
          key: 'overview',
          title: 'Overview',
          content: (
            <Stack gap="lg">
              <RoomLiveStatus room={row} />
              <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
                <Stack gap="lg">
                  <Panel title="Room">
                    <Facts
                      noun={noun}
                      row={row}
                      names={['customer_id', 'account_id', 'subscription_id', 'room_type', 'is_public', 'slug']}
                    />
                  </Panel>
                  <MapPanel title="Metadata" map={row.room_metadata} />
                </Stack>
                <IdentityPanel noun={noun} row={row} />
              </SimpleGrid>
            </Stack>
          ),
        },
        {
          key: 'meetings',
          title: isMeeting ? 'Meetings' : 'Sessions',
          hidden: !may('listMeetings'),
          content: <RoomMeetings roomId={row.id} />,
        },
        {
          key: 'recordings',
          title: 'Recordings',
          hidden: !may('listRecordings'),
          content: <RoomRecordings roomId={row.id} />,
        },
        {
          key: 'people',
          title: 'People',
          hidden: !may(levels.room.list) && !may('listInvitations'),
          content: <PeopleSection scope={scopeOf(levels.room, row)} />,
        },
        {
          key: 'tokens',
          title: 'Tokens',
          hidden: !may('listRoomTokens'),
          content: <RoomTokens roomId={row.id} />,
        },
        {
          key: 'access-codes',
          title: 'Access codes',
          hidden: !may('listRoomAccessCodes'),
          content: <RoomAccessCodes roomId={row.id} />,
        },
        { key: 'features', title: 'Features', content: <RoomFeatures row={row} /> },
        { key: 'settings', title: 'Settings', content: <RoomSettings row={row} /> },
        {
          key: 'events',
          title: 'Events',
          hidden: !may('listEvents'),
          content: <EventTimeline about={{ resource_id: row.id }} />,
        },
        { key: 'join-check', title: 'Join check', content: <JoinCheck roomId={row.id} /> },
      ]}
    />
  );
}

/** The sections of rooms with videos or streams come first. */
function mediaSections(row: RoomRow, may: (name: EndpointName) => boolean): Section[] {
  const { room_type: type } = row;
  const hasStream = type === 'live' || type === 'simulcast';
  const withLoading = (content: ReactNode) => <Suspense fallback={<LoadingNotice />}>{content}</Suspense>;
  return [
    {
      key: 'videos',
      title: 'Videos',
      hidden: type !== 'video' || !may('listRoomVideos'),
      content: withLoading(<RoomVideos room={row} />),
    },
    {
      key: 'stream',
      title: 'Stream',
      hidden: !hasStream || !may('readStream'),
      content: withLoading(<RoomStream room={row} />),
    },
    {
      key: 'outputs',
      title: 'Outputs',
      hidden: type !== 'simulcast' || !may('listOutputs'),
      content: withLoading(<RoomOutputs room={row} />),
    },
  ];
}

/** Opens the room in a new window, with a URL that is created for this join. */
function JoinAction({ room }: { readonly room: RoomRow }) {
  const caller = useCaller();
  const holds = useHolds();
  const [isBusy, setBusy] = useState(false);
  const hasViewers = useHasViewers(room);
  if (!holds('join-rooms')) return null;

  async function join(): Promise<void> {
    // Opened before the response: browsers allow new windows only during a click.
    const newWindow = window.open('about:blank', '_blank');
    setBusy(true);
    try {
      const { data } = await client.joinRoom({
        params: { room_id: room.id },
        body: { role: 'moderator', name: caller.full_name },
      });
      if (newWindow) {
        newWindow.opener = null;
        newWindow.location.replace(data.url);
      } else window.location.assign(data.url);
      await refreshEverything();
    } catch (error) {
      newWindow?.close();
      showFailure(error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Button
      leftSection={<IconLogin2 size={17} />}
      rightSection={<IconExternalLink size={14} />}
      loading={isBusy}
      onClick={() => void join()}
    >
      {room.room_type === 'meet' ? 'Join as moderator' : hasViewers ? 'Watch' : 'Go live'}
    </Button>
  );
}
