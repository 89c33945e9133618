import type { FormValues } from '../../../kit/form/form-values.ts';
import { words } from '../../../kit/format/words.ts';

/** The request body for changed form values. An empty source becomes null, which stops fetching. */
export function bodyOf({ source: url, ...changed }: FormValues): FormValues {
  if (url === undefined) return changed;
  return { ...changed, source: words(url).trim() === '' ? null : { url: words(url).trim() } };
}
