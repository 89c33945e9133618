import { Alert, Badge, Tooltip } from '@mantine/core';
import { IconInfoCircle, IconLock } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { lowered, wordOf } from '../../../kit/format/label.ts';
import { type Row, text } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import type { CustomerRow } from '../nouns/rows.ts';

/** The customer of a row if it is not active, else null. */
export function blockingCustomer(row: Row): CustomerRow | null {
  const customer = (row.customer as { data?: CustomerRow | null } | undefined)?.data ?? null;
  const status = customer === null ? '' : text(customer, 'effective_status');
  return status === '' || status === 'active' ? null : customer;
}

/** A badge if the customer, or the reseller’s subscription, restricts a subscription, an account or a room. */
export function CustomerBadge({ row }: { readonly row: Row }) {
  const customer = blockingCustomer(row);
  if (customer === null) {
    return row.unusable_because === 'parent-subscription' ? (
      <Badge variant="light" color="red" tt="none" fw={560}>
        Unusable: reseller’s subscription
      </Badge>
    ) : null;
  }
  const status = text(customer, 'effective_status');
  return (
    <Badge variant="light" color={status === 'suspended' ? 'yellow' : 'red'} tt="none" fw={560}>
      {status === 'suspended' ? 'Customer suspended' : `Unusable: customer ${status}`}
    </Badge>
  );
}

/** Explains the effect of the customer’s status on a subscription, an account or a room. */
export function CustomerNotice({ row }: { readonly row: Row }) {
  const customer = blockingCustomer(row);
  if (customer === null) {
    return row.unusable_because === 'parent-subscription' ? (
      <Alert color="red" variant="light" mb="lg" icon={<IconInfoCircle size={18} />}>
        This can’t be used, because it belongs to a reseller’s subscription that can’t be used.{' '}
        <Link
          to="/$noun/$id"
          params={{ noun: nouns.subscriptions.path, id: text(row, 'parent_subscription_id') }}
          className="link"
        >
          See the reseller’s subscription
        </Link>
      </Alert>
    ) : null;
  }
  const status = text(customer, 'effective_status');
  return (
    <Alert
      color={status === 'suspended' ? 'yellow' : 'red'}
      variant="light"
      mb="lg"
      icon={<IconInfoCircle size={18} />}
    >
      The customer,{' '}
      <Link to="/$noun/$id" params={{ noun: nouns.customers.path, id: customer.id }} className="link">
        {nouns.customers.titleOf(customer)}
      </Link>
      , is {lowered(wordOf(status))}. {consequences[status] ?? ''}
    </Alert>
  );
}

const consequences: Readonly<Record<string, string>> = {
  suspended: 'Existing rooms and meetings keep working. Nothing new can be created until the customer is reactivated.',
  inactive: 'This can’t be used until the customer is reactivated.',
  terminated: 'This can no longer be used.',
};

/** A badge if only administrators can reactivate the customer or subscription. */
export function HeldBadge({ row }: { readonly row: Row }) {
  if (row.held_by_platform !== true) return null;
  return (
    <Tooltip
      multiline
      w={240}
      label="Suspended or canceled by a platform administrator. Only an administrator can undo this."
    >
      <Badge
        variant="default"
        tt="none"
        fw={560}
        tabIndex={0}
        leftSection={<IconLock size={11} aria-hidden style={{ display: 'block' }} />}
      >
        Held by the platform
      </Badge>
    </Tooltip>
  );
}
