import { Menu } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useCreation } from '../resource/actions/use-creation.tsx';
import { text } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import { client } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { ServicePackageRow } from '../nouns/rows.ts';

/** Duplicates a package with its features and providers under another name. */
export function useDuplicatePackage(row: ServicePackageRow): { readonly item: ReactNode; readonly drawer: ReactNode } {
  const may = useMay();
  const creation = useCreation(nouns.servicePackages, {
    title: `Duplicate ${text(row, 'name')}`,
    initialValues: copyOf(row),
    onCreated: (created) => copyContents(row.id, created.id),
  });
  const isAllowed = creation.isAllowed && may('createServicePackageFeature') && may('createServicePackageProvider');
  if (!isAllowed) return { item: null, drawer: null };
  return {
    item: (
      <Menu.Item leftSection={<IconCopy size={16} />} onClick={creation.open}>
        Duplicate…
      </Menu.Item>
    ),
    drawer: creation.drawer,
  };
}

/** All members for the copy, except the tag, which is generated. */
function copyOf(row: ServicePackageRow): Readonly<Record<string, unknown>> {
  const { tag: _tag, ...rest } = row;
  return { ...rest, name: `${text(row, 'name')} (copy)` };
}

async function copyContents(sourceId: string, targetId: string): Promise<void> {
  const params = { service_package_id: sourceId };
  const [features, providers] = await Promise.all([
    client.listServicePackageFeatures({ params, query: { limit: 0 } }),
    client.listServicePackageProviders({ params, query: { limit: 0 } }),
  ]);
  const target = { service_package_id: targetId };
  for (const { tag, name, description, value, resettable_period, resettable_interval, sort_order } of features.data) {
    await client.createServicePackageFeature({
      params: target,
      body: {
        tag,
        value,
        name,
        ...(description === null ? {} : { description }),
        resettable_period,
        resettable_interval,
        ...(sort_order === null ? {} : { sort_order }),
      },
    });
  }
  // The default is added first, because the first provider becomes the default.
  for (const provider of providers.data.toSorted((left, right) => Number(right.default) - Number(left.default))) {
    await client.createServicePackageProvider({
      params: target,
      body: { service_provider_id: provider.service_provider_id, active: provider.active },
    });
  }
}
