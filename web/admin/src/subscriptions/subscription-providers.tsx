import { useQuery } from '@tanstack/react-query';
import { AttachedProviders } from '../providers/provider-panel.tsx';
import { client } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';

export function SubscriptionProviders({ id, packageId }: { readonly id: string; readonly packageId: string }) {
  const params = { subscription_id: id };
  const may = useMay();
  const isManager = may('createSubscriptionProvider');
  const attached = useQuery({
    queryKey: ['listSubscriptionProviders', id],
    queryFn: ({ signal }) => client.listSubscriptionProviders({ params, query: { limit: 0 }, signal }),
  });
  const offered = useQuery({
    queryKey: ['listServicePackageProviders', packageId],
    enabled: isManager && may('listServicePackageProviders'),
    queryFn: ({ signal }) =>
      client.listServicePackageProviders({ params: { service_package_id: packageId }, query: { limit: 0 }, signal }),
  });
  return (
    <AttachedProviders
      attached={attached}
      emptyText="Without a provider the customer cannot use this subscription."
      noOptionsText="All providers of the package are already attached."
      management={
        isManager
          ? (rows) => ({
              options: (offered.data?.data ?? [])
                .filter((provider) => !rows.some((row) => row.package_provider_id === provider.id))
                .map((provider) => ({ value: provider.id, label: provider.service_provider_name })),
              add: (package_provider_id) =>
                client.createSubscriptionProvider({ params, body: { package_provider_id } }),
              targetOf: (provider_id) => ({ read: 'readSubscriptionProvider', params: { ...params, provider_id } }),
              change: (provider_id, write) =>
                client.updateSubscriptionProvider({ params: { ...params, provider_id }, ...write }),
              remove: (provider_id, ifMatch) =>
                client.deleteSubscriptionProvider({ params: { ...params, provider_id }, ifMatch }),
            })
          : null
      }
    />
  );
}
