import { SideDrawer } from '../dialog/side-drawer.tsx';
import { ResourceForm } from './resource-form.tsx';
import type { FormProps } from './form-props.ts';

export function FormDrawer({
  title,
  isOpen,
  onClose,
  ...form
}: FormProps & { readonly title: string; readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <SideDrawer title={title} isOpen={isOpen} onClose={onClose}>
      <ResourceForm {...form} onCancel={onClose} />
    </SideDrawer>
  );
}
