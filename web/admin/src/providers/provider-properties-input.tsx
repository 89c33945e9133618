import { Fieldset, Input, PasswordInput, Select, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import {
  type ProviderProperty,
  findProviderType,
  secretMask,
} from '@foyer/contract/resources/providers/provider-types.ts';
import type { InputProps } from '../../../kit/form/form-fields.ts';
import { toText } from '../../../kit/format/to-text.ts';

/**
 * The properties of the chosen provider type. A stored secret is never shown, and stays unless a new one is entered.
 */
export function ProviderPropertiesInput({ values, value, faults, onChange }: InputProps) {
  const type = findProviderType(String(values['provider_type']));
  const properties = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const visible = (type?.properties ?? []).filter((property) => !property.deprecated || property.name in properties);
  return (
    <Fieldset legend="Connection" variant="unstyled" className="group">
      <SimpleGrid cols={1} spacing="md">
        {faults[''] !== undefined && (
          <Input.Error role="alert" tabIndex={-1} aria-invalid>
            {faults['']}
          </Input.Error>
        )}
        {visible.map((property) => (
          <PropertyInput
            key={property.name}
            property={property}
            value={toText(properties[property.name])}
            error={faultOf(property, faults)}
            isStored={property.secret && typeof values['id'] === 'string' && !properties[property.name]}
            onChange={(next) => onChange(withProperty(properties, property, next))}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}

/** An error of the API for a property, with the property's label. */
function faultOf({ name, label }: ProviderProperty, faults: Readonly<Record<string, string>>): string | null {
  return faults[name]?.replaceAll(`The ${name} property`, `“${label}”`) ?? null;
}

/** An empty secret is left out, which keeps the stored one. Other empty properties are cleared. */
function withProperty(properties: Record<string, unknown>, property: ProviderProperty, next: string) {
  if (next !== '' || !property.secret) return { ...properties, [property.name]: next === '' ? null : next };
  return Object.fromEntries(Object.entries(properties).filter(([name]) => name !== property.name));
}

function PropertyInput(props: {
  readonly property: ProviderProperty;
  readonly value: string;
  readonly error: string | null;
  readonly isStored: boolean;
  readonly onChange: (value: string) => void;
}) {
  const { property, value, error, onChange } = props;
  const sharedProps = {
    name: property.name,
    label: property.label,
    description: property.description.replaceAll('`', ''),
    required: property.required,
    error,
  };
  if (property.kind === 'choice') {
    return (
      <Select
        {...sharedProps}
        placeholder="sha256"
        clearable
        value={value || null}
        data={[...(property.choices ?? [])]}
        onChange={(next) => onChange(next ?? '')}
      />
    );
  }
  if (property.secret) {
    const isStored = props.isStored || value === secretMask;
    return (
      <PasswordInput
        {...sharedProps}
        // Mantine sets this on its other inputs, but not on this one.
        aria-invalid={error === null ? undefined : true}
        autoComplete="off"
        placeholder={isStored ? 'Stored. Type to replace it.' : ''}
        value={isStored ? '' : value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  if (property.kind === 'certificate') {
    return (
      <Textarea
        {...sharedProps}
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        placeholder="-----BEGIN CERTIFICATE-----"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  return (
    <TextInput
      {...sharedProps}
      type={property.kind === 'url' ? 'url' : 'text'}
      placeholder={property.kind === 'url' ? 'https://meet.example.com' : ''}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
