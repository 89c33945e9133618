import type { FormValues } from '../../../kit/form/form-values.ts';
import { toText } from '../../../kit/format/to-text.ts';

/** The request body for changed form values. An empty source becomes null, which stops fetching. */
export function bodyOf({ source: url, ...changed }: FormValues): FormValues {
  if (url === undefined) return changed;
  return { ...changed, source: toText(url).trim() === '' ? null : { url: toText(url).trim() } };
}
