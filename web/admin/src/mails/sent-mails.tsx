import { Alert, Code } from '@mantine/core';
import { IconMailPause } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../../kit/api/client.ts';
import { nouns } from '../nouns/nouns.ts';
import { RelatedList } from '../resource/related-list.tsx';

/** Sent mails, and mails that were kept because no mail server is configured. */
export function SentMails() {
  return (
    <>
      <KeptNotice />
      <RelatedList noun={nouns.mails} presets={null} />
    </>
  );
}

function KeptNotice() {
  const query = { limit: 1, orderBy: 'created_at', sortedBy: 'desc' as const, filter: 'state', count: false };
  const newest = useQuery({
    queryKey: ['listMails', 'newest'],
    queryFn: ({ signal }) => client.listMails({ query, signal }),
  });
  if (newest.data?.data[0]?.state !== 'kept') return null;
  return (
    <Alert mb="md" color="yellow" variant="light" icon={<IconMailPause size={18} />} title="Mails are not sent">
      No mail server is configured, so mails are kept here for 30 days. Set <Code>FOYER_SMTP_URL</Code> to send them.
    </Alert>
  );
}
