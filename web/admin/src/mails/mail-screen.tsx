import { Alert, SimpleGrid, Stack } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { FactList, IdentityPanel } from '../../../kit/display/facts.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { RelativeTime } from '../../../kit/display/times.tsx';
import { languageName } from '../../../kit/format/choices.ts';
import { formatShortInstant } from '../../../kit/format/instants.ts';
import { wordOf } from '../../../kit/format/label.ts';
import { nouns } from '../nouns/nouns.ts';
import type { MailRow } from '../nouns/rows.ts';
import { DetailPage } from '../resource/detail-page.tsx';
import type { ScreenProps } from '../resource/screen-props.ts';
import { Attachments } from './attachments.tsx';
import { MailStateCell } from './mail-cells.tsx';
import { MailPreview } from './mail-preview.tsx';

export function MailScreen({ row }: ScreenProps<MailRow>) {
  const noun = nouns.mails;
  return (
    <DetailPage
      noun={noun}
      row={row}
      list={{ to: '/settings', search: { tab: 'mail' } }}
      badges={<MailStateCell row={row} />}
      summary={
        <>
          To {row.recipient} · <RelativeTime instant={row.created_at} />
        </>
      }
      notice={<ErrorNotice mail={row} />}
      sections={[
        {
          key: 'mail',
          title: 'Mail',
          content: (
            <div className="mail-columns">
              <Stack gap="lg" miw={0}>
                <MailPreview mail={row} />
                <Attachments attachments={row.attachments ?? []} />
              </Stack>
              <SimpleGrid cols={1} spacing="lg">
                <Panel title="Delivery">
                  <FactList facts={factsOf(row)} />
                </Panel>
                <IdentityPanel noun={noun} row={row} />
              </SimpleGrid>
            </div>
          ),
        },
      ]}
    />
  );
}

function ErrorNotice({ mail }: { readonly mail: MailRow }) {
  if (mail.last_error === null) return null;
  return (
    <Alert mb="lg" color="red" variant="light" icon={<IconAlertCircle size={18} />} title="This mail could not be sent">
      Reason: {mail.last_error}. {mail.state === 'queued' && 'It will be tried again.'}
    </Alert>
  );
}

function factsOf(mail: MailRow): (readonly [string, React.ReactNode])[] {
  return [
    ['To', mail.recipient],
    ['Kind', wordOf(mail.kind)],
    ['Language', languageName(mail.locale)],
    ['Created', formatShortInstant(mail.created_at)],
    ...(mail.finished_at === null ? [] : [[wordOf(mail.state), formatShortInstant(mail.finished_at)] as const]),
    ...(mail.attempts === 0 ? [] : [['Attempts', String(mail.attempts)] as const]),
  ];
}
