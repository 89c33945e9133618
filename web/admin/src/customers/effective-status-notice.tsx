import { Alert } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lowered, wordOf } from '../../../kit/format/label.ts';
import { text } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import { client } from '../../../kit/api/client.ts';
import type { CustomerRow } from '../nouns/rows.ts';

/** Explains why the effective status of a customer differs from its own. */
export function EffectiveStatusNotice({ row }: { readonly row: CustomerRow }) {
  const [ownStatus, effectiveStatus] = [text(row, 'status'), text(row, 'effective_status')];
  const parentId = text(row, 'parent_customer_id');
  const parent = useQuery({
    queryKey: ['readCustomer', parentId],
    enabled: parentId !== '' && ownStatus !== effectiveStatus,
    queryFn: ({ signal }) => client.readCustomer({ params: { customer_id: parentId }, signal }),
  });
  if (ownStatus === effectiveStatus && ownStatus !== 'active' && ownStatus !== '') {
    return (
      <Alert
        color={ownStatus === 'suspended' ? 'yellow' : 'red'}
        variant="light"
        mb="lg"
        icon={<IconInfoCircle size={18} />}
        title={`This customer is ${lowered(wordOf(ownStatus))}`}
      >
        {ownConsequences[ownStatus]}
      </Alert>
    );
  }
  if (ownStatus === effectiveStatus || effectiveStatus === '') return null;
  const parentRow = parent.data?.data;
  return (
    <Alert color="yellow" variant="light" mb="lg" icon={<IconInfoCircle size={18} />}>
      Its own status is {lowered(wordOf(ownStatus))}, but it counts as {lowered(wordOf(effectiveStatus))}, because{' '}
      {parentRow ? (
        <>
          the reseller above it,{' '}
          <Link to="/$noun/$id" params={{ noun: 'customers', id: parentId }} className="link">
            {nouns.customers.titleOf(parentRow)}
          </Link>
          , {parentRow.status === parentRow.effective_status ? 'is' : 'counts as'}{' '}
          {lowered(wordOf(parentRow.effective_status))}.
        </>
      ) : (
        `a reseller above it is.`
      )}{' '}
      {consequences[effectiveStatus]}
    </Alert>
  );
}

const ownConsequences: Readonly<Record<string, string>> = {
  inactive: 'Its users can’t sign in and its rooms can’t be joined until you reactivate it.',
  suspended:
    'Its users can join and use existing rooms, but nothing new can be created: no subscriptions, accounts, rooms, users or invitations. Reactivate it in the menu.',
  terminated: 'Everything below it has ended, and this cannot be undone. It can be deleted.',
};

const consequences: Readonly<Record<string, string>> = {
  inactive: 'Its rooms can’t be joined until that changes.',
  suspended: 'Existing rooms keep working; nothing new can be created until that changes.',
  terminated: 'Its rooms can no longer be joined.',
};
