import './webhooks.css';
import { Badge, Button, Group, Menu, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconKey, IconRefresh, IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { Copyable } from '../../../kit/display/copyable.tsx';
import { Facts, IdentityPanel } from '../../../kit/display/facts.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { StatusBadge } from '../../../kit/display/status.tsx';
import { useMay } from '../../../kit/noun/app.tsx';
import { nouns } from '../nouns/nouns.ts';
import type { WebhookRow } from '../nouns/rows.ts';
import { DetailPage } from '../resource/detail-page.tsx';
import type { ScreenProps } from '../resource/screen-props.ts';
import { Deliveries } from './deliveries.tsx';
import { patternPhrase } from './event-patterns.ts';
import { RecoverDialog } from './recover-dialog.tsx';
import { useSecretRotation } from './rotate-secret.tsx';
import { TestDialog } from './test-dialog.tsx';
import { useDisabling, WebhookNotice } from './webhook-state.tsx';

export function WebhookScreen({ row }: ScreenProps<WebhookRow>) {
  const may = useMay();
  const noun = nouns.webhooks;
  const rotation = useSecretRotation(row, noun.titleOf(row));
  const disabling = useDisabling(row, noun.titleOf(row));
  const [isTesting, setTesting] = useState(false);
  const [isRecovering, setRecovering] = useState(false);
  return (
    <DetailPage
      noun={noun}
      row={row}
      badges={<StatusBadge value={row.state} />}
      summary={<Copyable value={row.url} label="address" />}
      notice={<WebhookNotice webhook={row} />}
      actions={
        may('testWebhook') && (
          <Button leftSection={<IconSend size={16} />} onClick={() => setTesting(true)}>
            Send a test
          </Button>
        )
      }
      menu={
        <>
          {may('rotateWebhookSecret') && (
            <Menu.Item leftSection={<IconKey size={16} />} onClick={rotation.ask}>
              New secret…
            </Menu.Item>
          )}
          {may('recoverWebhook') && (
            <Menu.Item
              leftSection={<IconRefresh size={16} />}
              disabled={!row.active}
              onClick={() => setRecovering(true)}
            >
              Send failed deliveries again…
            </Menu.Item>
          )}
          {disabling.item}
        </>
      }
      dialogs={
        <>
          {rotation.dialogs}
          {disabling.dialog}
          <TestDialog webhook={row} isOpen={isTesting} onClose={() => setTesting(false)} />
          <RecoverDialog webhook={row} isOpen={isRecovering} onClose={() => setRecovering(false)} />
        </>
      }
      sections={[
        {
          key: 'deliveries',
          title: 'Deliveries',
          hidden: !may('listWebhookDeliveries'),
          content: <Deliveries webhook={row} />,
        },
        {
          key: 'settings',
          title: 'Settings',
          content: (
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              <Stack gap="lg">
                <Panel title="Receiver">
                  <Facts noun={noun} row={row} names={['url', 'description', 'customer_id', 'last_delivery_at']} />
                  {row.customer_id === null && (
                    <Text c="dimmed" fz="sm" mb="xs">
                      Without a customer, the webhook gets the events of the whole platform.
                    </Text>
                  )}
                </Panel>
                <Panel title="Events">
                  <Group gap={6} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
                    {row.events.map((pattern) => (
                      <li key={pattern}>
                        <Badge variant="default" tt="none" fw={450} size="lg" fz="sm">
                          {patternPhrase(pattern)}
                        </Badge>
                      </li>
                    ))}
                  </Group>
                </Panel>
              </Stack>
              <Stack gap="lg">
                <Panel
                  title="Secret"
                  aside={
                    may('rotateWebhookSecret') && (
                      <Button size="xs" variant="light" leftSection={<IconKey size={15} />} onClick={rotation.ask}>
                        New secret
                      </Button>
                    )
                  }
                >
                  <Text c="dimmed">
                    The secret was shown once and is stored encrypted. The receiver uses it to verify that requests come
                    from this platform.
                  </Text>
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
