import { customerSettings } from '@foyer/contract/resources/customers/customer-settings.ts';
import { SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Type } from 'typebox';
import { MapPanel } from '../../../../kit/display/facts.tsx';
import { formFieldsOf } from '../../../../kit/form/form-fields.ts';
import { creationBody, type FormValues } from '../../../../kit/form/form-values.ts';
import { toText } from '../../../../kit/format/to-text.ts';
import { type Edit, EditForm } from '../../../../kit/form/edit-form.tsx';
import { Panel } from '../../../../kit/display/page-header.tsx';
import { showDone } from '../../../../kit/display/notices/toasts.ts';
import { text } from '../../../../kit/noun/noun.ts';
import { nouns } from '../../nouns/nouns.ts';
import { client, refreshEverything } from '../../../../kit/api/client.ts';
import { useMay } from '../../../../kit/noun/app.tsx';
import { Embedding } from './embedding.tsx';
import { type Branding, brandingOf, RoomPreview } from './room-preview.tsx';
import type { CustomerRow } from '../../nouns/rows.ts';

const fields = formFieldsOf(Type.Partial(Type.Object(customerSettings)));
const groups = [
  { title: 'Brand', fields: ['brand_name', 'logo_url', 'primary_color'] },
  { title: 'On the page', fields: ['hero_image', 'support_url'] },
];
const hints = {
  brand_name: 'Shown at the top of the room pages instead of the platform’s name.',
  logo_url: 'The https address of an image. Use a transparent background and a landscape format.',
  primary_color: 'For buttons and links. It is darkened or lightened where it would be hard to read.',
  hero_image:
    'A picture beside the form on the room pages. A room can have its own picture. Without one, a default illustration is shown.',
  support_url: 'The target of the “Help” link on the room pages.',
};

/** Branding of room pages with a live preview, and the origins that may embed them. */
export function CustomerBranding({ row }: { readonly row: CustomerRow }) {
  const may = useMay();
  const stored = settingsOf(row);
  const params = { customer_id: row.id };
  const inherited = useInheritedBranding(row);
  const mayChange = may('updateCustomer');

  async function save(values: FormValues, { row: shownRow, ifMatch }: Edit): Promise<void> {
    const before = settingsOf(shownRow);
    const clearedFields = fields.filter(({ name }) => name in before).map(({ name }) => [name, null] as const);
    const customer_settings = { ...before, ...Object.fromEntries(clearedFields), ...creationBody(fields, values) };
    await client.updateCustomer({ params, body: { customer_settings }, ifMatch });
    await refreshEverything();
    showDone('The branding has been saved.');
  }

  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      <Stack gap="lg">
        {mayChange ? (
          <section className="panel" style={{ overflow: 'clip' }} aria-label="Branding of room pages">
            <EditForm
              target={{ read: 'readCustomer', params, fields: ['customer_settings'] }}
              valuesOf={settingsOf}
              fields={fields}
              groups={groups}
              hints={hints}
              errorsBelow="customer_settings"
              isCreation
              presets={{ inherited, customerName: nouns.customers.titleOf(row) }}
              preview={Preview}
              isDisabledUntilChanged
              submitLabel="Save branding"
              cancelLabel="Undo changes"
              onSave={save}
            />
          </section>
        ) : (
          <>
            <MapPanel title="Branding of room pages" map={stored} />
            <Panel title="Preview">
              <RoomPreview branding={brandingOf(stored, inherited)} customerName={nouns.customers.titleOf(row)} />
            </Panel>
          </>
        )}
      </Stack>
      <Embedding row={row} mayChange={mayChange} />
    </SimpleGrid>
  );
}

function settingsOf(row: FormValues): FormValues {
  return (row.customer_settings ?? {}) as FormValues;
}

/** Passes the inherited branding and the customer’s name, which are no fields of the form, to the preview. */
function Preview({ values }: { readonly values: FormValues }) {
  return (
    <RoomPreview
      branding={brandingOf(values, values['inherited'] as Branding)}
      customerName={toText(values['customerName'])}
    />
  );
}

/** For each value: that of the nearest reseller above that has one, otherwise the platform’s. */
function useInheritedBranding(row: CustomerRow): Branding {
  const may = useMay();
  const settings = useQuery({
    queryKey: ['readSettings'],
    enabled: may('readSettings'),
    queryFn: ({ signal }) => client.readSettings({ signal }),
  });
  const parentBranding = useQuery({
    queryKey: ['resellersAbove', row.id],
    enabled: text(row, 'parent_customer_id') !== '',
    queryFn: async ({ signal }): Promise<FormValues[]> => {
      const resellerSettings: FormValues[] = [];
      for (let id = text(row, 'parent_customer_id'); id !== '' && resellerSettings.length < maxLevels;) {
        const { data } = await client.readCustomer({ params: { customer_id: id }, signal });
        resellerSettings.push(data.customer_settings);
        id = data.parent_customer_id ?? '';
      }
      return resellerSettings;
    },
  });
  const platform = settings.data?.data;
  const platformBranding: Branding = {
    brandName: platform?.platform_name ?? 'Foyer',
    logoUrl: platform?.logo_url ?? null,
    color: platform?.primary_color ?? '#1f6b5c',
    heroImage: null,
    supportUrl: platform?.support_url ?? null,
  };
  return (parentBranding.data ?? [])
    .toReversed()
    .reduce<Branding>((branding, values) => brandingOf(values, branding), platformBranding);
}

const maxLevels = 10;
