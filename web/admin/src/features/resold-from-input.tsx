import { Group, Input, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { formatDay } from '../../../kit/format/instants.ts';
import { searchQuery } from '../../../kit/list/search.ts';
import { toText } from '../../../kit/format/to-text.ts';
import { nouns } from '../nouns/nouns.ts';
import { client } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { InputProps } from '../../../kit/form/form-fields.ts';
import type { CustomerRow } from '../nouns/rows.ts';

/** The subscription that the reseller resells; shown only for customers of a reseller. */
export function ResoldFromInput({ field, value, values, faults, onChange, onOther }: InputProps) {
  const may = useMay();
  const customerId = toText(values['subscriber_id']);
  const customer = useQuery({
    queryKey: ['readCustomer', customerId, 'parent'],
    enabled: customerId !== '' && may('readCustomer'),
    queryFn: ({ signal }) =>
      client.readCustomer({ params: { customer_id: customerId }, query: { include: 'parent' }, signal }),
  });
  const packageId = toText(values['package_id']);
  const parentId = customerId === '' ? null : (customer.data?.data.parent_customer_id ?? null);
  const sources = useQuery({
    queryKey: ['listSubscriptions', 'sources', parentId],
    enabled: parentId !== null,
    queryFn: ({ signal }) =>
      client.listSubscriptions({
        query: {
          ...searchQuery('', { subscriber_id: parentId ?? '', status: 'active' }),
          include: 'package',
          limit: 100,
          count: false,
        },
        signal,
      }),
  });
  const subscriptions = sources.data?.data;
  const chosen = typeof value === 'string' ? value : null;
  const defaultSetFor = useRef('');
  const isSoldDirectly = customer.data !== undefined && parentId === null;
  // The default is the reseller's subscription, so that the platform does not sell directly by mistake.
  useEffect(() => {
    if (subscriptions === undefined || parentId === null || defaultSetFor.current === customerId) return;
    defaultSetFor.current = customerId;
    const source = packageId === '' ? subscriptions[0] : subscriptions.find((row) => row.package_id === packageId);
    onChange(source?.id ?? '');
    if (source && packageId === '') onOther('package_id', source.package_id);
  }, [subscriptions, parentId, customerId, packageId, onChange, onOther]);
  useEffect(() => {
    if (isSoldDirectly && chosen !== null) onChange(undefined);
  }, [isSoldDirectly, chosen, onChange]);
  if (parentId === null) return faults[''] === undefined ? null : <Input.Error role="alert">{faults['']}</Input.Error>;
  const parent = (customer.data?.data as unknown as { parent?: { data: CustomerRow | null } })?.parent?.data;
  const rows = subscriptions ?? [];
  const bypassesReseller = chosen === '' && rows.length > 0;
  return (
    <>
      <Select
        name={field.name}
        label={field.label}
        description={
          rows.length === 0 && subscriptions
            ? `${parent ? nouns.customers.titleOf(parent) : 'The reseller'} has no active subscription, so this one is sold directly to the customer.`
            : `A subscription of ${parent ? nouns.customers.titleOf(parent) : 'the reseller'}: the new one uses part of its limits.`
        }
        error={faults[''] ?? null}
        placeholder="Sold directly"
        allowDeselect={false}
        disabled={rows.length === 0}
        value={chosen === '' ? directOption : chosen}
        data={[
          ...rows.map((row) => ({ value: row.id, label: row.name })),
          ...(rows.length === 0
            ? []
            : [{ value: directOption, label: 'None: sold directly, not through the reseller' }]),
        ]}
        renderOption={({ option }) => {
          const row = rows.find(({ id }) => id === option.value);
          return (
            <Group justify="space-between" wrap="nowrap" w="100%" gap="xs">
              <Text truncate fz="sm">
                {option.label}
              </Text>
              <Text c="dimmed" fz="xs">
                {row && `until ${formatDay(row.ends_at)}`}
              </Text>
            </Group>
          );
        }}
        onChange={(id) => {
          onChange(id === directOption ? '' : (id ?? ''));
          const source = rows.find((row) => row.id === id);
          if (source && source.package_id !== packageId) onOther('package_id', source.package_id);
        }}
      />
      {bypassesReseller && (
        <Text fz="xs" c="var(--mantine-color-yellow-light-color)" mt={6} role="status">
          It is sold directly and uses none of the reseller’s limits.
        </Text>
      )}
    </>
  );
}

/** The value of the empty option, since options need a value. */
const directOption = 'direct';
