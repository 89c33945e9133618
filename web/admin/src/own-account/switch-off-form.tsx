import { client } from '../../../kit/api/client.ts';
import { FactorsForm } from './factors-form.tsx';

export function SwitchOffForm({ onCancel, onDone }: { readonly onCancel: () => void; readonly onDone: () => void }) {
  return (
    <FactorsForm
      sentence="You then sign in with your password alone. The recovery codes stop working."
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
