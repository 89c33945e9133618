import type { ComponentType, ReactNode } from 'react';
import type { Base } from '../concurrency/use-merge.tsx';
import type { FormField, FormGroup } from './form-fields.ts';
import type { FormValues } from './form-values.ts';
import type { FormRules } from './form-faults-of.ts';

export interface FormProps {
  readonly fields: readonly FormField[];
  readonly groups: readonly FormGroup[];
  readonly hints: { readonly [field: string]: string | undefined };
  readonly stored: FormValues;
  readonly isCreation: boolean;
  /** Values that the page has already set. Inputs can read them, but the form has no fields for them. */
  readonly presets?: FormValues;
  /** Shown with the fields for their current values: a preview of the result, or a warning. */
  readonly preview?: ComponentType<{ readonly values: FormValues; readonly isRefused: boolean }> | undefined;
  readonly rules?: FormRules | undefined;
  /** Help after an error. */
  readonly help?: ((failure: unknown) => ReactNode) | undefined;
  readonly submitLabel: string;
  /** @param base the version that is changed; null for a creation */
  readonly onSubmit: (values: FormValues, base: Base | null) => Promise<void>;
}
