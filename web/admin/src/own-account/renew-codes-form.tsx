import { client } from '../../../kit/api/client.ts';
import { FactorsForm } from './factors-form.tsx';

interface Props {
  readonly onCancel: () => void;
  readonly onRenewed: (codes: readonly string[]) => void;
}

export function RenewCodesForm({ onCancel, onRenewed }: Props) {
  return (
    <FactorsForm
      sentence="Ten new codes replace all earlier ones, which stop working."
      cancelLabel="Cancel"
      submitLabel="Create new codes"
      onCancel={onCancel}
      onSubmit={async (body) => {
        const { data } = await client.renewRecoveryCodes({ body });
        onRenewed(data.recovery_codes);
      }}
    />
  );
}
