import { ReferencePicker } from '../../../kit/form/fields/reference-picker.tsx';

type PickerProps = Parameters<typeof ReferencePicker>[0];

interface Props extends Pick<PickerProps, 'name' | 'label' | 'prefix'> {
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
}

/** Filters a report by one resource. */
export function ReferenceFilter({ value, onChange, ...pickerProps }: Props) {
  return (
    <div className="report-filter">
      <ReferencePicker
        {...pickerProps}
        description={null}
        error={null}
        required={false}
        value={value ?? null}
        onChange={(id) => onChange(id ?? undefined)}
      />
    </div>
  );
}
