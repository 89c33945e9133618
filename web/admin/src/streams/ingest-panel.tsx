import { Accordion, Code, List, Text } from '@mantine/core';
import { Absent } from '../../../kit/display/field-value.tsx';
import { Copyable } from '../../../kit/display/copyable.tsx';
import { FactList } from '../../../kit/display/facts.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import type { StreamRow } from '../nouns/rows.ts';
import { StreamKey } from './stream-key.tsx';

/** The address and key for an encoder, with instructions. */
export function IngestPanel({ stream }: { readonly stream: StreamRow }) {
  const { rtmp_url: server, whip_url: whip } = stream.ingest;
  return (
    <Panel title="Send with an encoder">
      {stream.source !== null && (
        <Text c="dimmed" mb="sm">
          Encoders are rejected while the room fetches a source.
        </Text>
      )}
      {server === null && (
        <Text c="red" mb="sm" role="alert">
          No media server of the subscription responds, so nothing can be sent right now.
        </Text>
      )}
      <FactList
        facts={[
          [
            'Server',
            server === null ? <Absent key="server" /> : <Copyable key="server" value={server} label="the server" />,
          ],
          ['Stream key', <StreamKey key="key" roomId={stream.room_id} />],
          [
            'WHIP',
            whip === null ? <Absent key="whip" /> : <Copyable key="whip" value={whip} label="the WHIP address" />,
          ],
        ]}
      />
      <Accordion variant="default" chevronPosition="left" mx={-16} mt="xs">
        <Accordion.Item value="obs">
          <Accordion.Control>Set up OBS</Accordion.Control>
          <Accordion.Panel>
            <List type="ordered" spacing={6}>
              <List.Item>
                Open <b>Settings → Stream</b>, and choose the service <b>Custom…</b>.
              </List.Item>
              <List.Item>Copy the server and the stream key from above.</List.Item>
              <List.Item>
                Open <b>Settings → Output</b>, and choose the output mode <b>Advanced</b>. Set the keyframe interval to{' '}
                <b>2 s</b>, the encoder to x264 or a hardware encoder for H.264, and the audio to AAC.
              </List.Item>
              <List.Item>
                Choose <b>Start Streaming</b>. This page shows <b>Live</b> within seconds.
              </List.Item>
            </List>
          </Accordion.Panel>
        </Accordion.Item>
        <Accordion.Item value="whip">
          <Accordion.Control>Send with WHIP</Accordion.Control>
          <Accordion.Panel>
            <Text>
              In OBS, choose the service <b>WHIP</b>. Enter the WHIP address as the server, and the stream key as the{' '}
              <Code>Bearer token</Code>.
            </Text>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Panel>
  );
}
