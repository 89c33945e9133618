import type { ServiceType } from '@foyer/contract/resources/providers/provider-types.ts';
import { SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DetailPage } from '../resource/detail-page.tsx';
import { useDuplicatePackage } from './duplicate-package.tsx';
import { FeaturePanel } from '../features/feature-panel.tsx';
import { Facts, IdentityPanel, MapPanel } from '../../../kit/display/facts.tsx';
import { PackageBadges, PackageGlance } from './package-glance.tsx';
import { PackageReadiness } from './package-readiness.tsx';
import { RelatedList } from '../resource/related-list.tsx';
import { FailureNotice, LoadingNotice } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { nouns } from '../nouns/nouns.ts';
import { client } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { ScreenProps } from '../resource/screen-props.ts';
import type { ServicePackageRow } from '../nouns/rows.ts';
import { PackageProviders } from './package-providers.tsx';

export function ServicePackageScreen({ row }: ScreenProps<ServicePackageRow>) {
  const may = useMay();
  const noun = nouns.servicePackages;
  const duplicate = useDuplicatePackage(row);
  return (
    <>
      <DetailPage
        noun={noun}
        row={row}
        badges={<PackageBadges row={row} />}
        menu={duplicate.item}
        notice={<PackageReadiness row={row} />}
        sections={[
          {
            key: 'overview',
            title: 'Overview',
            content: (
              <Stack gap="lg">
                <PackageGlance row={row} />
                <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
                  <Stack gap="lg">
                    <Panel title="In the catalogue">
                      <Facts
                        noun={noun}
                        row={row}
                        names={[
                          'tag',
                          'service_type',
                          'short_description',
                          'auto_renew',
                          'hidden',
                          'retired',
                          'sort_order',
                        ]}
                      />
                    </Panel>
                    {typeof row.description === 'string' && (
                      <Panel title="Description">
                        <Text style={{ whiteSpace: 'pre-wrap' }}>{row.description}</Text>
                      </Panel>
                    )}
                    <MapPanel title="Settings" map={row.package_settings} />
                    <MapPanel title="Metadata" map={row.package_metadata} />
                  </Stack>
                  <IdentityPanel noun={noun} row={row} />
                </SimpleGrid>
              </Stack>
            ),
          },
          {
            key: 'features',
            title: 'Features',
            content: <PackageFeatures id={row.id} serviceType={row.service_type} />,
          },
          {
            key: 'providers',
            title: 'Providers',
            content: <PackageProviders id={row.id} serviceType={row.service_type} />,
          },
          {
            key: 'subscriptions',
            title: 'Subscriptions',
            hidden: !may('listSubscriptions'),
            content: (
              <RelatedList
                noun={nouns.subscriptions}
                within={{ package_id: row.id }}
                presets={{ package_id: row.id }}
              />
            ),
          },
        ]}
      />
      {duplicate.drawer}
    </>
  );
}

function PackageFeatures({ id, serviceType }: { readonly id: string; readonly serviceType: ServiceType }) {
  const params = { service_package_id: id };
  const may = useMay();
  const result = useQuery({
    queryKey: ['listServicePackageFeatures', id],
    queryFn: ({ signal }) => client.listServicePackageFeatures({ params, query: { limit: 0 }, signal }),
  });
  if (result.error) return <FailureNotice error={result.error} onRetry={() => void result.refetch()} />;
  if (!result.data) return <LoadingNotice />;
  return (
    <FeaturePanel
      serviceType={serviceType}
      rows={result.data.data}
      withUsage={false}
      manage={
        may('createServicePackageFeature')
          ? {
              add: (tag, { value = '', ...reset }) =>
                client.createServicePackageFeature({ params, body: { tag, value, ...reset } }),
              targetOf: (feature_id) => ({ read: 'readServicePackageFeature', params: { ...params, feature_id } }),
              change: (feature_id, write) =>
                client.updateServicePackageFeature({ params: { ...params, feature_id }, ...write }),
              remove: (feature_id, ifMatch) =>
                client.deleteServicePackageFeature({ params: { ...params, feature_id }, ifMatch }),
            }
          : null
      }
    />
  );
}
