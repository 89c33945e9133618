import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../../kit/api/client.ts';
import type { InputProps } from '../../../kit/form/form-fields.ts';
import { toText } from '../../../kit/format/to-text.ts';
import { useMay } from '../../../kit/noun/app.tsx';

/** Whether the subscription renews. Until it is changed, the switch shows the value of the package. */
export function RenewalInput({ field, value, values, faults, onChange }: InputProps) {
  const may = useMay();
  const packageId = toText(values['package_id']);
  const inherits = value === undefined;
  const servicePackage = useQuery({
    queryKey: ['readServicePackage', packageId],
    enabled: inherits && packageId !== '' && may('readServicePackage'),
    queryFn: ({ signal }) => client.readServicePackage({ params: { service_package_id: packageId }, signal }),
  });
  return (
    <Switch
      name={field.name}
      label={field.label}
      description={field.description}
      error={faults[''] ?? null}
      checked={inherits ? servicePackage.data?.data.auto_renew === true : value === true}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
