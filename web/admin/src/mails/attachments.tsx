import { Button, Code, Group, Text } from '@mantine/core';
import { IconCalendarEvent, IconDownload } from '@tabler/icons-react';
import { Panel } from '../../../kit/display/page-header.tsx';
import type { MailRow } from '../nouns/rows.ts';

type Attachment = NonNullable<MailRow['attachments']>[number];

export function Attachments({ attachments }: { readonly attachments: readonly Attachment[] }) {
  if (attachments.length === 0) return null;
  return (
    <Panel title="Attachments" flush>
      {attachments.map(({ file_name: name, content_type: type, content }) => (
        <div key={name} className="line">
          <Group justify="space-between" wrap="nowrap" mb="xs">
            <Group gap="sm" wrap="nowrap" miw={0}>
              <IconCalendarEvent size={20} stroke={1.5} aria-hidden />
              <div style={{ minWidth: 0 }}>
                <Text fw={560} truncate>
                  {name}
                </Text>
                <Text c="dimmed" fz="sm" truncate>
                  {type}
                </Text>
              </div>
            </Group>
            <Button
              component="a"
              size="xs"
              variant="light"
              leftSection={<IconDownload size={15} />}
              aria-label={`Download ${name}`}
              download={name}
              href={`data:${type.replaceAll(' ', '')},${encodeURIComponent(content)}`}
            >
              Download
            </Button>
          </Group>
          <Code block className="mail-text" tabIndex={0} aria-label={name}>
            {content}
          </Code>
        </div>
      ))}
    </Panel>
  );
}
