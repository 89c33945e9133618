import { Drawer, Group } from '@mantine/core';
import type { ComponentType } from 'react';
import type { FormField, FormGroup } from '../fields/form-fields.ts';
import type { FormValues } from '../fields/form-values.ts';
import { ResourceForm } from './resource-form.tsx';

export interface FormProps {
  readonly fields: readonly FormField[];
  readonly groups: readonly FormGroup[];
  readonly hints: Readonly<Record<string, string>>;
  readonly stored: FormValues;
  readonly isCreation: boolean;
  /** What the page has decided already: inputs know of it, nobody is asked. */
  readonly given?: FormValues;
  /** Shows what would come of the values. */
  readonly preview?: ComponentType<{ readonly values: FormValues }> | undefined;
  readonly submitLabel: string;
  readonly onSubmit: (values: FormValues) => Promise<void>;
}

export function FormDrawer({
  title,
  isOpen,
  onClose,
  ...form
}: FormProps & { readonly title: string; readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <Drawer.Root opened={isOpen} onClose={onClose} position="right" size={560}>
      <Drawer.Overlay />
      <Drawer.Content>
        <Group className="form-head" justify="space-between" wrap="nowrap">
          <Drawer.Title fz="lg" fw={620} lh={1.3}>
            {title}
          </Drawer.Title>
          <Drawer.CloseButton aria-label="Close" />
        </Group>
        <Drawer.Body p={0}>{isOpen && <ResourceForm {...form} onCancel={onClose} />}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
