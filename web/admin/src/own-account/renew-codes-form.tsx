import { client } from '../../../kit/api/client.ts';
import { FactorsForm } from './factors-form.tsx';

interface Props {
  readonly onCancel: () => void;
  readonly onRenewed: (codes: readonly string[]) => void;
}

export function RenewCodesForm({ onCancel, onRenewed }: Props) {
  return (
    <FactorsForm
      sentence="Ten new codes take the place of all earlier ones, which then sign nobody in any more."
      cancelLabel="Keep as it is"
      submitLabel="Make new codes"
      onCancel={onCancel}
      onSubmit={async (body) => {
        const { data } = await client.renewRecoveryCodes({ body });
        onRenewed(data.recovery_codes);
      }}
    />
  );
}
