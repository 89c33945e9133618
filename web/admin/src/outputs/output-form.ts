import { formFieldsOf, type FormField } from '../../../kit/form/form-fields.ts';
import type { FormRules } from '../../../kit/form/form-faults-of.ts';
import type { FormValues } from '../../../kit/form/form-values.ts';
import { secretMask } from '@foyer/contract/resources/providers/provider-types.ts';
import { endpoints } from '@foyer/contract';
import { type Platform, platforms } from './platforms.ts';

const groups = [
  { title: '', fields: ['name', 'url', 'stream_key', 'enabled'] },
  { title: 'Metadata', fields: ['output_metadata'], foldedAtCreation: true },
];

/** The form of an output on a platform. The address is required only if the platform has no common one. */
export function outputForm(platform: Platform, isStored: boolean) {
  const { body } = endpoints.createOutput;
  const fields = formFieldsOf(body, { stream_key: { kind: 'secret' } }).filter(({ name }) => name !== 'platform');
  const { description, keyHint = description, needsAddress } = platforms[platform];
  const rules: FormRules = { requiredWhen: { url: () => needsAddress } };
  const hints = {
    name: 'Only shown in the console.',
    url: needsAddress
      ? 'Begins with rtmp:// or rtmps://, without a user name or password.'
      : 'Leave it empty to use the usual address of the platform.',
    stream_key: isStored ? `${keyHint}. Leave it empty to keep the stored key.` : `${keyHint}. It is stored encrypted.`,
    enabled: 'The picture is sent to this output while the room is live.',
  };
  return { fields: fields.map(withLabel), groups, rules, hints };
}

function withLabel(field: FormField): FormField {
  return field.name === 'url' ? { ...field, label: 'Server address' } : field;
}

/** The values of the form. The stored key is never shown. */
export function shownValues(row: FormValues): FormValues {
  return { ...row, stream_key: row['stream_key'] === secretMask ? null : row['stream_key'] };
}
