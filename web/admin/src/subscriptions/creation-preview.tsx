import { Alert, Badge, Group, Loader, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { endpoints } from '@foyer/contract';
import { IconAlertCircle } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type EndpointInput, FoyerError } from '@foyer/sdk';
import { FactList } from '../../../kit/display/facts.tsx';
import { featureAmountText } from '../../../kit/format/feature-values.ts';
import { creationBody, type FormValues } from '../../../kit/form/form-values.ts';
import { formFieldsOf } from '../../../kit/form/form-fields.ts';
import { capTo, maximumOf } from '../features/resale-limits.ts';
import { labelOf } from '../../../kit/format/label.ts';
import { formatMoney } from '../../../kit/format/money.ts';
import { toText } from '../../../kit/format/to-text.ts';
import { LinkAnchor } from '../../../kit/display/links.ts';
import { AllowedMoves } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { Day } from '../../../kit/display/times.tsx';
import { client, describeFailure } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import { Amount } from './amount.tsx';

/** Lists with this limit return all rows. */
const allRows = 0;

const previewFields = formFieldsOf(endpoints.previewNewSubscription.body);

/** Preview of a new subscription: dates, price and features. */
export function CreationPreview(props: { readonly values: FormValues; readonly isRefused: boolean }) {
  const { values, isRefused } = props;
  const may = useMay();
  const [debouncedBody] = useDebouncedValue(JSON.stringify(creationBody(previewFields, values)), 300);
  const body = JSON.parse(debouncedBody) as EndpointInput<'previewNewSubscription'>['body'];
  const isComplete = Boolean(body.package_id) && Boolean(body.subscriber_id);
  const sourceId = toText(values['parent_subscription_id']);
  const isResold = sourceId !== '';
  const source = useQuery({
    queryKey: ['readSubscriptionUsage', sourceId],
    enabled: isResold,
    queryFn: ({ signal }) =>
      client.readSubscriptionUsage({ params: { subscription_id: sourceId }, query: { limit: allRows }, signal }),
  });
  const result = useQuery({
    queryKey: ['previewNewSubscription', debouncedBody],
    enabled: isComplete && may('previewNewSubscription'),
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => client.previewNewSubscription({ body, signal }),
  });
  if (!may('previewNewSubscription')) return null;
  const preview = isComplete && !result.error ? result.data?.data : undefined;
  const customFeatures = (values['features'] ?? {}) as Readonly<Record<string, unknown>>;
  const includedValue = (tag: string, value: string) =>
    isResold && source.data
      ? capTo(
          tag,
          value,
          maximumOf(
            tag,
            source.data.data.find((feature) => feature.tag === tag),
          ),
        )
      : value;
  return (
    <Panel title="Preview" aside={result.isFetching && <Loader size={14} />}>
      {result.error && isComplete && isRefused ? (
        <Text c="dimmed">Correct the errors above to see a preview.</Text>
      ) : result.error && isComplete ? (
        <Alert color="yellow" variant="light" icon={<IconAlertCircle size={18} />}>
          {describeFailure(result.error)}
          <AllowedMoves error={result.error} />
          {isPackageError(result.error) && <PackageLink id={toText(body.package_id)} />}
        </Alert>
      ) : preview === undefined ? (
        <Text c="dimmed">Choose a customer and a package to see dates and price.</Text>
      ) : (
        <>
          <FactList
            facts={[
              [
                'Price',
                <Text key="price" inherit fw={560}>
                  <Amount {...preview} />
                </Text>,
              ],
              ...(preview.signup_fee > 0
                ? [['Sign-up fee', `${formatMoney(preview.signup_fee, preview.currency)}, once`] as const]
                : []),
              ...(preview.trial_ends_at === null
                ? []
                : [['Trial until', <Day key="trial" day={preview.trial_ends_at} withRelativeDay />] as const]),
              ['First period', <DayRange key="period" from={preview.starts_at} to={preview.ends_at} />],
              [labelOf('auto_renew'), preview.auto_renew ? 'Yes' : 'No'],
              ['Last day of use', <Day key="last" day={preview.grace_ends_at} withRelativeDay />],
            ]}
          />
          <Group gap={4} mt="sm" pb={8}>
            {preview.features.map(({ tag, name, value }) => (
              <Badge key={tag} variant={tag in customFeatures ? 'light' : 'default'} tt="none" fw={450}>
                {name}: {featureAmountText(tag, toText(customFeatures[tag]) || includedValue(tag, value))}
              </Badge>
            ))}
          </Group>
          {isResold && (
            <Text fz="sm" c="dimmed" pb={8}>
              If the reseller has less left than the package includes, the customer gets the remainder.
            </Text>
          )}
        </>
      )}
    </Panel>
  );
}

function isPackageError(error: unknown): boolean {
  return error instanceof FoyerError && (error.code === 'package-not-available' || 'package_id' in error.errors);
}

function PackageLink({ id }: { readonly id: string }) {
  return (
    <Text inherit mt={4}>
      <LinkAnchor
        to="/$noun/$id"
        params={{ noun: 'service-packages', id }}
        search={{ tab: 'providers' }}
        target="_blank"
        inherit
        underline="always"
      >
        See the package and its providers
      </LinkAnchor>
    </Text>
  );
}

function DayRange({ from, to }: { readonly from: string; readonly to: string }) {
  return (
    <>
      <Day day={from} /> – <Day day={to} />
    </>
  );
}
