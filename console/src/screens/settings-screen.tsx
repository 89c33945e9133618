import { Stack } from '@mantine/core';
import { settingSchemas } from '@foyer/contract/setting.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FactList, MapValue } from '../detail/facts.tsx';
import { type FormGroup, formFieldsOf } from '../fields/form-fields.ts';
import { changeBody, type FormValues, initialValues } from '../fields/form-values.ts';
import { labelOf } from '../fields/label.ts';
import { ResourceForm } from '../form/resource-form.tsx';
import { bodyOf } from '../form/use-creation.tsx';
import { MissingScreen } from '../layout/missing-screen.tsx';
import { FailureNotice, LoadingNotice } from '../layout/notices.tsx';
import { PageHeader, Panel } from '../layout/page-header.tsx';
import { showDone } from '../layout/toasts.ts';
import { client, refreshEverything } from '../platform.ts';
import { useMay } from '../session/caller.tsx';

const groups: readonly FormGroup[] = [
  { title: 'Look', fields: ['platform_name', 'primary_color', 'logo_url', 'support_url'] },
  { title: 'Language and time', fields: ['system_locale', 'system_timezone'] },
  { title: 'Links and lists', fields: ['public_url', 'default_page_size'] },
  {
    title: 'Signing in',
    fields: ['access_token_seconds', 'refresh_token_seconds', 'authorization_code_seconds', 'personal_token_days'],
  },
  { title: 'Limits', fields: ['requests_per_minute', 'anonymous_requests_per_minute', 'logins_per_minute'] },
  { title: 'Meetings', fields: ['provider_timeout_ms', 'suspension_meeting_grace_minutes'] },
];

const hints = {
  primary_color: 'Of the pages through which participants enter.',
  system_timezone: 'In which days begin and subscriptions end.',
  public_url: 'The base of room links; the address of this server when left empty.',
  suspension_meeting_grace_minutes: 'How long a meeting may go on once its subscription is suspended.',
};

export function SettingsScreen() {
  const may = useMay();
  const isAllowed = may('readSettings');
  const settings = useQuery({
    queryKey: ['readSettings'],
    enabled: isAllowed,
    queryFn: ({ signal }) => client.readSettings({ signal }),
  });
  if (!isAllowed) return <MissingScreen />;
  return (
    <Stack gap={0} maw={760}>
      <PageHeader title="Settings" summary="They hold for the whole platform, from the next request on." />
      {settings.error ? (
        <FailureNotice error={settings.error} onRetry={() => void settings.refetch()} />
      ) : !settings.data ? (
        <LoadingNotice />
      ) : may('updateSettings') ? (
        <SettingsForm key={settings.dataUpdatedAt} stored={settings.data.data} />
      ) : (
        <Panel>
          <FactList
            facts={Object.keys(settingSchemas).map((name) => [
              labelOf(name),
              <MapValue key={name} value={(settings.data.data as FormValues)[name]} />,
            ])}
          />
        </Panel>
      )}
    </Stack>
  );
}

function SettingsForm({ stored }: { readonly stored: FormValues }) {
  const [round, setRound] = useState(0);
  const fields = formFieldsOf(bodyOf('updateSettings'));
  async function submit(values: FormValues): Promise<void> {
    await client.updateSettings({ body: changeBody(fields, initialValues(fields, stored), values) });
    showDone('The settings have been saved.');
    await refreshEverything();
  }
  return (
    <div className="panel" style={{ overflow: 'clip' }}>
      <ResourceForm
        key={round}
        fields={fields}
        groups={groups}
        hints={hints}
        stored={stored}
        isCreation={false}
        submitLabel="Save settings"
        cancelLabel="Undo changes"
        onSubmit={submit}
        onCancel={() => setRound(round + 1)}
      />
    </div>
  );
}
