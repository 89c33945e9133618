import { Box, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FactList, MapValue } from '../../../kit/display/facts.tsx';
import { type FormGroup, formFieldsOf } from '../../../kit/form/form-fields.ts';
import type { FormValues } from '../../../kit/form/form-values.ts';
import { durationBaseOf, durationText } from '../../../kit/format/durations.ts';
import { labelOf } from '../../../kit/format/label.ts';
import { EditForm } from '../../../kit/form/edit-form.tsx';
import { SentMails } from '../mails/sent-mails.tsx';
import { PlatformNotifications } from '../notifications/platform-notifications.tsx';
import { Sections } from '../resource/detail-page.tsx';
import { bodyOf } from '../resource/actions/use-creation.tsx';
import { ForbiddenScreen } from '../../../kit/display/notices/missing-screen.tsx';
import { FailureNotice, LoadingNotice } from '../../../kit/display/notices/notices.tsx';
import { PageHeader, Panel } from '../../../kit/display/page-header.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';

const groups: readonly FormGroup[] = [
  { title: 'Branding', fields: ['platform_name', 'primary_color', 'logo_url', 'support_url'] },
  { title: 'Language and time', fields: ['system_locale', 'system_timezone'] },
  { title: 'Links and lists', fields: ['public_url', 'default_page_size'] },
  {
    title: 'Signing in',
    fields: [
      'require_two_factor',
      'access_token_seconds',
      'refresh_token_seconds',
      'authorization_code_seconds',
      'personal_token_days',
    ],
  },
  { title: 'Limits', fields: ['requests_per_minute', 'anonymous_requests_per_minute', 'logins_per_minute'] },
  {
    title: 'Meetings',
    fields: [
      'provider_timeout_ms',
      'suspension_meeting_grace_minutes',
      'participant_names_days',
      'meeting_webhooks',
      'playback_link_minutes',
    ],
  },
  { title: 'Events and webhooks', fields: ['event_retention_days', 'webhooks_allow_private_addresses'] },
  { title: 'Streams', fields: ['media_allow_private_addresses'] },
];

const hints = {
  platform_name: 'The name of the platform for participants, in emails and in authenticator apps.',
  primary_color: 'Used on pages for participants and in emails.',
  logo_url: 'An image at the top of pages for participants and emails.',
  support_url: 'The target of the “Help” link on pages for participants.',
  system_locale: 'Used if no other language is chosen.',
  system_timezone: 'The time zone in which days begin and subscriptions end.',
  public_url: 'The base of room links and of links in emails. If empty, the address of this server.',
  default_page_size: 'Rows per page in lists, unless a request sets its own limit.',
  require_two_factor:
    'Administrators without a second factor can only set one up, from their next request on. This includes you.',
  access_token_seconds: 'How long an access token is valid. After that, the refresh token is exchanged for a new one.',
  refresh_token_seconds: 'A session that is not used for this long ends.',
  authorization_code_seconds: 'How long a program can exchange the code for a token after consent.',
  personal_token_days: 'The lifetime of a personal token, if no other is chosen.',
  requests_per_minute: 'For each administrator, user or program.',
  anonymous_requests_per_minute: 'Requests without sign-in.',
  logins_per_minute: 'Ten failed logins in ten minutes also block further ones.',
  provider_timeout_ms: 'How long to wait for a response of a meeting server.',
  suspension_meeting_grace_minutes: 'Running meetings continue for this long after the subscription is suspended.',
  participant_names_days: 'Names are deleted this long after participants leave. With 0, names are not stored.',
  meeting_webhooks:
    'Providers that support it report changes immediately. Otherwise, Foyer checks meetings once a minute.',
  playback_link_minutes: 'How long a playback link works.',
  event_retention_days: 'Older events are deleted.',
  webhooks_allow_private_addresses: 'Receivers may be in the private network of this server.',
  media_allow_private_addresses: 'Outputs and sources may be in the private network of the media server.',
};

export function SettingsScreen() {
  const may = useMay();
  if (!may('readSettings')) return <ForbiddenScreen needs={['readSettings']} />;
  return (
    <>
      <PageHeader title="Settings" summary="These settings apply to the whole platform, from the next request on." />
      <Sections
        sections={[
          {
            key: 'general',
            title: 'General',
            content: limitWidth(may('updateSettings') ? <SettingsForm /> : <ReadOnly />),
          },
          { key: 'notifications', title: 'Notifications', content: limitWidth(<PlatformNotifications />) },
          { key: 'mail', title: 'Sent mails', content: <SentMails /> },
        ]}
      />
    </>
  );
}

function limitWidth(content: ReactNode): ReactNode {
  return <Box maw={760}>{content}</Box>;
}

function ReadOnly() {
  const settings = useQuery({
    queryKey: ['readSettings'],
    queryFn: ({ signal }) => client.readSettings({ signal }),
  });
  if (settings.error) return <FailureNotice error={settings.error} onRetry={() => void settings.refetch()} />;
  if (!settings.data) return <LoadingNotice />;
  const { data } = settings.data;
  return (
    <Stack>
      {groups.map(({ title, fields }) => (
        <Panel key={title} title={title}>
          <FactList
            facts={fields.map((name) => [
              labelOf(name),
              <SettingValue key={name} name={name} value={(data as FormValues)[name]} />,
            ])}
          />
        </Panel>
      ))}
    </Stack>
  );
}

function SettingValue({ name, value }: { readonly name: string; readonly value: unknown }) {
  const base = durationBaseOf(name);
  return base !== null && typeof value === 'number' ? <>{durationText(value, base)}</> : <MapValue value={value} />;
}

const settingFields = formFieldsOf(bodyOf('updateSettings')).filter(({ name }) => name !== 'notifications');

function SettingsForm() {
  return (
    <div className="panel" style={{ overflow: 'clip' }}>
      <EditForm
        target={{ read: 'readSettings', fields: settingFields.map(({ name }) => name) }}
        fields={settingFields}
        groups={groups}
        hints={hints}
        isCreation={false}
        submitLabel="Save settings"
        cancelLabel="Undo changes"
        isDisabledUntilChanged
        onSave={async (_values, { changed, ifMatch }) => {
          await client.updateSettings({ body: changed, ifMatch });
          showDone('The settings have been saved.');
          await refreshEverything();
        }}
      />
    </div>
  );
}
