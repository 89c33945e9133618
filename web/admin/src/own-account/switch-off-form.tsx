import { client } from '../../../kit/api/client.ts';
import { FactorsForm } from './factors-form.tsx';

export function SwitchOffForm({ onCancel, onDone }: { readonly onCancel: () => void; readonly onDone: () => void }) {
  return (
    <FactorsForm
      sentence="The password alone signs you in from then on, and the recovery codes end."
      cancelLabel="Keep it on"
      submitLabel="Switch off"
      color="red"
      onCancel={onCancel}
      onSubmit={async (body) => {
        await client.disableTwoFactor({ body });
        onDone();
      }}
    />
  );
}
