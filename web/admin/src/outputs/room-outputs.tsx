import { Button, Stack, Text } from '@mantine/core';
import { IconBroadcast, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../../kit/api/client.ts';
import { FailureNotice, LoadingNotice, Placeholder } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { useMay } from '../../../kit/noun/app.tsx';
import type { OutputRow, RoomRow } from '../nouns/rows.ts';
import { streamPollMs } from '../streams/stream-words.ts';
import { useStream } from '../streams/use-stream.ts';
import { AddOutput } from './add-output.tsx';
import { EditOutput } from './edit-output.tsx';
import { OutputLine } from './output-line.tsx';
import './outputs.css';

/** The platforms that receive the stream of a simulcast room. */
export function RoomOutputs({ room }: { readonly room: RoomRow }) {
  const may = useMay();
  const [isAdding, setAdding] = useState(false);
  const [edited, setEdited] = useState<OutputRow | null>(null);
  const stream = useStream(room.id).data?.data;
  const result = useQuery({
    queryKey: ['listOutputs', { room_id: room.id }],
    queryFn: ({ signal }) => client.listOutputs({ params: { room_id: room.id }, query: { limit: 100 }, signal }),
    refetchInterval: streamPollMs(stream),
  });
  const outputs = result.data?.data;
  const addButton = may('createOutput') && (
    <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
      Add output
    </Button>
  );
  return (
    <Stack>
      <Panel flush title={outputs === undefined ? 'Outputs' : `Outputs (${outputs.length})`} aside={addButton}>
        {result.error && !outputs ? (
          <FailureNotice error={result.error} onRetry={() => void result.refetch()} />
        ) : outputs === undefined ? (
          <LoadingNotice />
        ) : outputs.length === 0 ? (
          <Placeholder title="No outputs yet" icon={<IconBroadcast stroke={1.4} />}>
            Add the platforms that should receive the picture. You need the stream key of each.
          </Placeholder>
        ) : (
          outputs.map((output) => <OutputLine key={output.id} output={output} onEdit={() => setEdited(output)} />)
        )}
      </Panel>
      <Text c="dimmed" fz="sm">
        You can add, change and delete outputs while the room is live. Other outputs are not interrupted.
      </Text>
      <AddOutput roomId={room.id} isOpen={isAdding} onClose={() => setAdding(false)} />
      {edited !== null && <EditOutput output={edited} onClose={() => setEdited(null)} />}
    </Stack>
  );
}
