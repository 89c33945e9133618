import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { providerTypeNamed } from '@foyer/contract/provider-types.ts';
import { IconCircleCheck, IconCircleX, IconPlugConnected } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { DetailPage } from '../detail/detail-page.tsx';
import { FactList, IdentityPanel, MapPanel } from '../detail/facts.tsx';
import { IncludedLinks } from '../detail/included-links.tsx';
import { wordOf } from '../fields/label.ts';
import { Absent } from '../fields/field-value.tsx';
import { Copyable } from '../layout/copyable.tsx';
import { RefusalAlert } from '../layout/notices.tsx';
import { Panel } from '../layout/page-header.tsx';
import { StatusBadge } from '../layout/status.tsx';
import { nouns } from '../nouns/nouns.ts';
import { client } from '../platform.ts';
import type { ScreenProps } from './detail-screen.tsx';
import { words } from '../fields/words.ts';

export function ServiceProviderScreen({ row }: ScreenProps) {
  const type = providerTypeNamed(String(row['provider_type']));
  const properties = row['properties'] as Record<string, unknown>;
  return (
    <DetailPage
      noun={nouns.serviceProviders}
      row={row}
      badges={<StatusBadge value={row['active'] === true ? 'active' : 'inactive'} />}
      sections={[
        {
          key: 'overview',
          title: 'Overview',
          content: (
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              <Stack gap="lg">
                <Panel title="Connection">
                  <FactList
                    facts={[
                      ['Type', type?.displayName ?? wordOf(String(row['provider_type']))],
                      ['Service', wordOf(String(row['service_type']))],
                      ...(type?.properties ?? [])
                        .filter(({ name, deprecated }) => !deprecated || name in properties)
                        .map(
                          (property) =>
                            [
                              property.label,
                              <PropertyValue
                                key={property.name}
                                value={properties[property.name]}
                                isSecret={property.secret}
                                label={property.label}
                              />,
                            ] as const,
                        ),
                    ]}
                  />
                </Panel>
                <MapPanel title="Metadata" map={row['metadata']} />
                <IncludedLinks noun={nouns.servicePackages} title="Packages that use it" included={row['packages']} />
                <IncludedLinks
                  noun={nouns.subscriptions}
                  title="Subscriptions that use it"
                  included={row['subscriptions']}
                />
              </Stack>
              <Stack gap="lg">
                <ConnectionCheck id={row.id} />
                <IdentityPanel noun={nouns.serviceProviders} row={row} />
              </Stack>
            </SimpleGrid>
          ),
        },
      ]}
    />
  );
}

function PropertyValue(props: { readonly value: unknown; readonly isSecret: boolean; readonly label: string }) {
  if (props.value === null || props.value === undefined || props.value === '') return <Absent />;
  if (props.isSecret) return <Text c="dimmed">stored, never shown</Text>;
  return <Copyable value={words(props.value)} label={props.label} />;
}

/** Asks the platform to ask the provider, when somebody wants to know. */
function ConnectionCheck({ id }: { readonly id: string }) {
  const check = useMutation({
    mutationFn: () => client.checkServiceProvider({ params: { service_provider_id: id } }),
  });
  const result = check.data?.data;
  return (
    <Panel
      title="Does it answer?"
      aside={
        <Button
          size="xs"
          variant="light"
          leftSection={<IconPlugConnected size={15} />}
          loading={check.isPending}
          onClick={() => check.mutate()}
        >
          Check the connection
        </Button>
      }
    >
      {check.error ? (
        <RefusalAlert error={check.error} />
      ) : result ? (
        <Stack gap="xs" role="status">
          <Finding isGood={result.reachable}>
            {result.reachable ? `It answers, in ${result.latency_ms ?? '?'} ms.` : 'It does not answer.'}
          </Finding>
          {result.secret_accepted !== null && (
            <Finding isGood={result.secret_accepted}>
              {result.secret_accepted ? 'It accepts the shared secret.' : 'It refuses the shared secret.'}
            </Finding>
          )}
          {result.api_version && <Text c="dimmed">API version {result.api_version}</Text>}
          {result.problem && <Text c="red">{result.problem}</Text>}
        </Stack>
      ) : (
        <Text c="dimmed">Asks the server whether it answers and accepts the secret. Nothing is changed.</Text>
      )}
    </Panel>
  );
}

function Finding({ isGood, children }: { readonly isGood: boolean; readonly children: React.ReactNode }) {
  return (
    <Group gap="xs" wrap="nowrap">
      {isGood ? (
        <IconCircleCheck size={19} color="var(--mantine-color-anchor)" aria-hidden />
      ) : (
        <IconCircleX size={19} color="var(--mantine-color-red-6)" aria-hidden />
      )}
      <Text>{children}</Text>
    </Group>
  );
}
