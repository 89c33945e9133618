import { SimpleGrid, Stack, Text } from '@mantine/core';
import { findProviderType } from '@foyer/contract/resources/providers/provider-types.ts';
import { DetailPage } from '../resource/detail-page.tsx';
import { FactList, IdentityPanel, MapPanel } from '../../../kit/display/facts.tsx';
import { IncludedLinks } from '../resource/included-links.tsx';
import { wordOf } from '../../../kit/format/label.ts';
import { Absent } from '../../../kit/display/field-value.tsx';
import { Copyable } from '../../../kit/display/copyable.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { RelatedList } from '../resource/related-list.tsx';
import type { Noun } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import { DrainingPanel } from './draining-panel.tsx';
import { HealthPanel } from './health-panel.tsx';
import { useDraining } from './use-draining.tsx';
import { ProviderStateCell } from './provider-state.tsx';
import type { ScreenProps } from '../resource/screen-props.ts';
import { toText } from '../../../kit/format/to-text.ts';
import type { ServiceProviderRow } from '../nouns/rows.ts';

/** Running meetings come first. */
const meetingsOnProvider: Noun = { ...nouns.meetings, list: 'listServiceProviderMeetings' };

export function ServiceProviderScreen({ row }: ScreenProps<ServiceProviderRow>) {
  const may = useMay();
  const type = findProviderType(row.provider_type);
  const draining = useDraining(row);
  const properties = row.properties;
  return (
    <DetailPage
      noun={nouns.serviceProviders}
      row={row}
      badges={<ProviderStateCell row={row} />}
      menu={draining.item}
      dialogs={draining.dialog}
      sections={[
        { key: 'health', title: 'Health', content: <HealthPanel provider={row} draining={draining} /> },
        {
          key: 'meetings',
          title: 'Meetings',
          hidden: !may('listServiceProviderMeetings'),
          content: <RelatedList noun={meetingsOnProvider} params={{ service_provider_id: row.id }} presets={null} />,
        },
        {
          key: 'setup',
          title: 'Set-up',
          content: (
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              <Stack gap="lg">
                <Panel title="Connection">
                  <FactList
                    facts={[
                      ['Type', type?.displayName ?? wordOf(row.provider_type)],
                      ['Service', wordOf(row.service_type)],
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
                  {type !== undefined && (
                    <Text size="sm" c="dimmed" mt="sm">
                      {type.setupNote.replaceAll('`', '')}
                    </Text>
                  )}
                </Panel>
                <MapPanel title="Metadata" map={row.metadata} />
                <IncludedLinks noun={nouns.servicePackages} title="Packages that use it" included={row.packages} />
                <IncludedLinks
                  noun={nouns.subscriptions}
                  title="Subscriptions that use it"
                  included={row.subscriptions}
                />
              </Stack>
              <Stack gap="lg">
                <DrainingPanel row={row} draining={draining} />
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
  return <Copyable value={toText(props.value)} label={props.label} />;
}
