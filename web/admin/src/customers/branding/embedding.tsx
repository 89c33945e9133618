import { Group, Stack, Text } from '@mantine/core';
import { formFieldsOf } from '../../../../kit/form/form-fields.ts';
import { EditForm } from '../../../../kit/form/edit-form.tsx';
import { bodyOf } from '../../resource/actions/use-creation.tsx';
import { CopyAction } from '../../../../kit/display/copyable.tsx';
import { Panel } from '../../../../kit/display/page-header.tsx';
import { showDone } from '../../../../kit/display/notices/toasts.ts';
import { client, refreshEverything } from '../../../../kit/api/client.ts';
import type { CustomerRow } from '../../nouns/rows.ts';

const member = 'allowed_domains_origins';
const fields = formFieldsOf(bodyOf('updateCustomer')).filter(({ name }) => name === member);
const hints = {
  [member]:
    'Scheme, host and optional port, without a path: https://www.example.com. Each subdomain is a separate origin.',
};

/** The websites that may embed the rooms of a customer. */
export function Embedding({ row, mayChange }: { readonly row: CustomerRow; readonly mayChange: boolean }) {
  const stored = (row[member] ?? []) as readonly string[];
  const params = { customer_id: row.id };
  const snippet = `<iframe src="${window.location.origin}/rooms/room_…/name?token=…"\n  allow="camera *; microphone *; display-capture *; fullscreen *; autoplay *"\n  width="100%" height="720"></iframe>`;
  return (
    <Panel title="On other websites" flush>
      <Stack gap="md" px="xl" pt="lg" pb={mayChange ? 0 : 'lg'}>
        <Text c="dimmed">
          The customer can embed its rooms in its own website. Browsers allow this only on the origins listed here and
          on those of the resellers above. On all other websites, the frame stays empty.
        </Text>
        {!mayChange && <Text>{stored.length === 0 ? 'No origins are allowed.' : stored.join(', ')}</Text>}
        <div>
          <Group justify="space-between" mb={4}>
            <Text fw={560} fz="sm">
              HTML for the website
            </Text>
            <CopyAction value={snippet} label="the HTML" />
          </Group>
          <pre className="snippet">{snippet}</pre>
        </div>
        <Text c="dimmed" fz="sm">
          Without the allow attribute, browsers block the room’s access to the camera and microphone. The meeting server
          must also allow embedding; the sandbox does not. On phones, open the room in its own tab.
        </Text>
      </Stack>
      {mayChange && (
        <EditForm
          target={{ read: 'readCustomer', params, fields: [member] }}
          fields={fields}
          groups={[]}
          hints={hints}
          isCreation={false}
          submitLabel="Save origins"
          cancelLabel="Undo changes"
          isDisabledUntilChanged
          onSave={async (_values, { changed, ifMatch }) => {
            await client.updateCustomer({ params, body: changed, ifMatch });
            await refreshEverything();
            showDone('The allowed origins have been saved.');
          }}
        />
      )}
    </Panel>
  );
}
