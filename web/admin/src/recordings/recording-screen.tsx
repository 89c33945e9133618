import { SimpleGrid, Stack } from '@mantine/core';
import { DetailPage } from '../resource/detail-page.tsx';
import { FactList, Facts, IdentityPanel, MapPanel } from '../../../kit/display/facts.tsx';
import { Absent, NamedReference } from '../../../kit/display/field-value.tsx';
import { formatShortInstant } from '../../../kit/format/instants.ts';
import { bytesText, lengthOf } from '../../../kit/format/lengths.ts';
import { Copyable } from '../../../kit/display/copyable.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { RelativeTime } from '../../../kit/display/times.tsx';
import { text, textOrNull } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import { useRecordingCopy } from './copy-recording.tsx';
import { PendingNotice } from './pending-notice.tsx';
import { ProblemNotice } from './problem-notice.tsx';
import { PublishAction } from './recording-actions.tsx';
import { ExpiryCell, lengthInMinutes, RecordingStateCell } from './recording-cells.tsx';
import { TextTracks } from './text-tracks.tsx';
import { WatchPanel } from './watch-panel.tsx';
import { RecordingAudience } from './recording-audience.tsx';
import { useMay } from '../../../kit/noun/app.tsx';
import type { ScreenProps } from '../resource/screen-props.ts';
import type { RecordingRow } from '../nouns/rows.ts';

export function RecordingScreen({ row }: ScreenProps<RecordingRow>) {
  const noun = nouns.recordings;
  const may = useMay();
  const copy = useRecordingCopy(row);
  return (
    <DetailPage
      noun={noun}
      row={row}
      badges={<RecordingStateCell row={row} />}
      summary={formatShortInstant(textOrNull(row, 'started_at') ?? text(row, 'created_at'))}
      actions={<PublishAction row={row} />}
      menu={copy.item}
      dialogs={copy.dialog}
      notice={
        <>
          <ProblemNotice row={row} />
          <PendingNotice row={row} />
        </>
      }
      sections={[
        {
          key: 'overview',
          title: 'Overview',
          content: (
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              <Stack gap="lg">
                <WatchPanel row={row} />
                <TextTracks recordingId={row.id} />
                <RecordingAudience roomId={text(row, 'room_id')} />
                <MapPanel title="Metadata" map={row.recording_metadata} />
              </Stack>
              <Stack gap="lg">
                <Panel title="Recording">
                  <FactList facts={factsOf(row, may('readServiceProvider'))} />
                </Panel>
                <Panel title="Belongs to">
                  <Facts noun={noun} row={row} names={['room_id', 'meeting_id', 'customer_id', 'subscription_id']} />
                </Panel>
                <IdentityPanel noun={noun} row={row} />
              </Stack>
            </SimpleGrid>
          ),
        },
      ]}
    />
  );
}

const absent = <Absent key="absent" />;

function factsOf(row: RecordingRow, mayReadProvider: boolean): (readonly [string, React.ReactNode])[] {
  const length = lengthInMinutes(row);
  const [startedAt, playedAt] = [textOrNull(row, 'started_at'), textOrNull(row, 'last_played_at')];
  const id = textOrNull(row, 'provider_recording_id');
  const providerId = mayReadProvider ? textOrNull(row, 'service_provider_id') : null;
  return [
    ['Recorded', startedAt === null ? absent : formatShortInstant(startedAt)],
    ['Length', length === null ? absent : lengthOf(length)],
    ['Participants', row.participants === null ? absent : row.participants.toLocaleString('en-GB')],
    ['Size', Number(row.size_bytes) === 0 ? absent : bytesText(Number(row.size_bytes))],
    ['Expires', <ExpiryCell key="expires" row={row} />],
    ['Watched', row.plays === 0 ? 'Never' : row.plays === 1 ? 'Once' : `${row.plays.toLocaleString('en-GB')} times`],
    ['Last watched', playedAt === null ? absent : <RelativeTime key="played" instant={playedAt} />],
    ...(providerId === null
      ? []
      : [['Stored on', <NamedReference key="provider" noun={nouns.serviceProviders} id={providerId} />] as const]),
    ...(id === null
      ? []
      : [['Id on the provider', <Copyable key="id" value={id} label="the provider’s id" />] as const]),
  ];
}
