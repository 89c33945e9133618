import type { ServiceType } from '@foyer/contract/resources/providers/provider-types.ts';
import { useQuery } from '@tanstack/react-query';
import { FeaturePanel } from '../features/feature-panel.tsx';
import { FailureNotice, LoadingNotice } from '../../../kit/display/notices/notices.tsx';
import { client } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';

interface Props {
  readonly id: string;
  readonly serviceType: ServiceType;
}

export function SubscriptionFeatures({ id, serviceType }: Props) {
  const params = { subscription_id: id };
  const may = useMay();
  const result = useQuery({
    queryKey: ['readSubscriptionUsage', id],
    queryFn: ({ signal }) => client.readSubscriptionUsage({ params, query: { limit: 0 }, signal }),
  });
  if (result.error) return <FailureNotice error={result.error} onRetry={() => void result.refetch()} />;
  if (!result.data) return <LoadingNotice />;
  return (
    <FeaturePanel
      serviceType={serviceType}
      rows={result.data.data}
      withUsage
      manage={
        may('createSubscriptionFeature')
          ? {
              add: (service_feature_code, { value = '', ...reset }) =>
                client.createSubscriptionFeature({ params, body: { service_feature_code, value, ...reset } }),
              targetOf: (feature_id) => ({ read: 'readSubscriptionFeature', params: { ...params, feature_id } }),
              change: (feature_id, write) =>
                client.updateSubscriptionFeature({ params: { ...params, feature_id }, ...write }),
              remove: (feature_id, ifMatch) =>
                client.deleteSubscriptionFeature({ params: { ...params, feature_id }, ifMatch }),
            }
          : null
      }
    />
  );
}
