import type { ServiceType } from '@foyer/contract/resources/providers/provider-types.ts';
import { useQuery } from '@tanstack/react-query';
import { AttachedProviders } from '../providers/provider-panel.tsx';
import { client } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';

interface Props {
  readonly id: string;
  readonly serviceType: ServiceType;
}

/** The attached providers of a package. Only providers of its service type can be added. */
export function PackageProviders({ id, serviceType }: Props) {
  const params = { service_package_id: id };
  const may = useMay();
  const isManager = may('createServicePackageProvider');
  const attached = useQuery({
    queryKey: ['listServicePackageProviders', id],
    queryFn: ({ signal }) => client.listServicePackageProviders({ params, query: { limit: 0 }, signal }),
  });
  const providers = useQuery({
    queryKey: ['listServiceProviders', 'all'],
    enabled: isManager,
    queryFn: ({ signal }) => client.listServiceProviders({ query: { limit: 0, orderBy: 'provider_name' }, signal }),
  });
  return (
    <AttachedProviders
      attached={attached}
      emptyText="A package needs at least one provider before it can be sold."
      noOptionsText="No other service provider has the service type of the package."
      management={
        isManager
          ? (rows) => ({
              options: (providers.data?.data ?? [])
                .filter(
                  (provider) =>
                    provider.service_type === serviceType &&
                    !rows.some((row) => row.service_provider_id === provider.id),
                )
                .map((provider) => ({ value: provider.id, label: provider.provider_name })),
              add: (service_provider_id) =>
                client.createServicePackageProvider({ params, body: { service_provider_id } }),
              targetOf: (provider_id) => ({ read: 'readServicePackageProvider', params: { ...params, provider_id } }),
              change: (provider_id, write) =>
                client.updateServicePackageProvider({ params: { ...params, provider_id }, ...write }),
              remove: (provider_id, ifMatch) =>
                client.deleteServicePackageProvider({ params: { ...params, provider_id }, ifMatch }),
            })
          : null
      }
    />
  );
}
