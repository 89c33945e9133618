import { Drawer } from '@mantine/core';
import type { FormField, FormGroup } from '../fields/form-fields.ts';
import type { FormValues } from '../fields/form-values.ts';
import { ResourceForm } from './resource-form.tsx';

export interface FormProps {
  readonly fields: readonly FormField[];
  readonly groups: readonly FormGroup[];
  readonly hints: Readonly<Record<string, string>>;
  readonly stored: FormValues;
  readonly isCreation: boolean;
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
        <Drawer.Header px="xl" style={{ borderBottom: '1px solid var(--foyer-line)' }}>
          <Drawer.Title fz="lg" fw={620}>
            {title}
          </Drawer.Title>
          <Drawer.CloseButton aria-label="Close" />
        </Drawer.Header>
        <Drawer.Body p={0}>{isOpen && <ResourceForm {...form} onCancel={onClose} />}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
