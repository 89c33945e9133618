import { Group, Input, Select, Stack, Text, TextInput } from '@mantine/core';
import { features, findFeature } from '@foyer/contract/resources/packages/features.ts';
import { useQuery } from '@tanstack/react-query';
import { featureValueInSentence } from '../../../kit/format/feature-values.ts';
import { maximumOf, type SourceFeature } from './resale-limits.ts';
import type { FormValues } from '../../../kit/form/form-values.ts';
import { toText } from '../../../kit/format/to-text.ts';
import { client } from '../../../kit/api/client.ts';
import type { InputProps } from '../../../kit/form/form-fields.ts';

/** Custom values by feature; empty fields keep the package's values. */
export function FeatureValuesInput({ field, value, values, faults, onChange }: InputProps) {
  const packageId = toText(values['package_id']);
  const sourceId = toText(values['parent_subscription_id']);
  const sold = useQuery({
    queryKey: ['listServicePackageFeatures', packageId],
    enabled: packageId !== '',
    queryFn: ({ signal }) =>
      client.listServicePackageFeatures({ params: { service_package_id: packageId }, query: { limit: 0 }, signal }),
  });
  const source = useQuery({
    queryKey: ['readSubscriptionUsage', sourceId],
    enabled: sourceId !== '',
    queryFn: ({ signal }) =>
      client.readSubscriptionUsage({ params: { subscription_id: sourceId }, query: { limit: 0 }, signal }),
  });
  const entered = (typeof value === 'object' && value !== null ? value : {}) as FormValues;
  const soldFeatures = packageId === '' ? [] : (sold.data?.data ?? []);
  const rows = features.flatMap(({ code }) => soldFeatures.find(({ tag }) => tag === code) ?? []);

  function change(tag: string, next: string): void {
    const { [tag]: _previous, ...rest } = entered;
    onChange(next === '' ? rest : { ...rest, [tag]: next });
  }

  if (rows.length === 0) {
    return (
      <>
        <Text c="dimmed" fz="sm">
          {packageId === '' ? 'Choose a package first.' : 'The package has no features.'}
        </Text>
        {Object.values(faults).map((sentence) => (
          <Input.Error key={sentence} role="alert">
            {sentence}
          </Input.Error>
        ))}
      </>
    );
  }
  return (
    <Input.Wrapper
      labelElement="div"
      description="Empty fields use the package’s values. Enter a limit as a number or “unlimited”."
      error={faults[''] ?? null}
    >
      <Stack gap="xs" mt={10} role="group" aria-label={field.label}>
        {rows.map((row) => {
          const remaining =
            source.data && sourceId !== ''
              ? remainingText(
                  row.tag,
                  source.data.data.find(({ tag }) => tag === row.tag),
                )
              : null;
          const label = row.name;
          return (
            <Group key={row.id} gap="sm" wrap="nowrap" align="flex-start" justify="space-between">
              <div style={{ minWidth: 0 }}>
                <Text fz="sm" fw={520}>
                  {label}
                </Text>
                <Text fz="xs" c="dimmed">
                  Package: {featureValueInSentence(row.tag, row.value)}
                  {remaining !== null && ` · reseller: ${remaining}`}
                </Text>
              </div>
              {findFeature(row.tag)?.valueType === 'flag' ? (
                <Select
                  w={{ base: 110, xs: 150 }}
                  style={{ flexShrink: 0 }}
                  aria-label={label}
                  clearable
                  placeholder="Unchanged"
                  value={toText(entered[row.tag]) || null}
                  data={[
                    { value: 'true', label: 'On' },
                    { value: 'false', label: 'Off' },
                  ]}
                  error={faults[row.tag] ?? null}
                  onChange={(next) => change(row.tag, next ?? '')}
                />
              ) : (
                <TextInput
                  w={{ base: 110, xs: 150 }}
                  style={{ flexShrink: 0 }}
                  aria-label={label}
                  placeholder={row.value}
                  value={toText(entered[row.tag])}
                  error={faults[row.tag] ?? null}
                  onChange={(event) => change(row.tag, event.currentTarget.value)}
                />
              )}
            </Group>
          );
        })}
      </Stack>
    </Input.Wrapper>
  );
}

/** The amount that the reseller can still resell, as text. */
function remainingText(tag: string, source: SourceFeature | undefined): string {
  const maximum = maximumOf(tag, source);
  const maximumText = featureValueInSentence(tag, maximum);
  if (source === undefined || maximum === source.value) return maximumText;
  return `${Number(maximum).toLocaleString('en-GB')} left of ${featureValueInSentence(tag, source.value)}`;
}
