import type { IdentifierPrefix } from '@foyer/contract/conventions/identifier-prefixes.ts';
import type { ReactNode } from 'react';
import { isMask } from '../format/to-text.ts';
import { MemberValue } from '../display/member-value.tsx';
import { NamedReference } from '../display/field-value.tsx';
import type { FormField } from './form-fields.ts';
import type { FormValues } from './form-values.ts';
import { labelOf, wordOf } from '../format/label.ts';
import { useNouns } from '../noun/app.tsx';

interface MergeWords {
  readonly labelOf: (path: readonly string[]) => string;
  readonly valueOf: (path: readonly string[], value: unknown) => ReactNode;
}

/** Labels and formatted values for the merge panel. */
export function mergeWords(fields: readonly FormField[], stored: FormValues): MergeWords {
  const fieldOf = (path: readonly string[]) => fields.find(({ name }) => name === path[0]);
  return {
    labelOf(path) {
      const [name = '', key] = path;
      const label = fieldOf(path)?.label ?? labelOf(name);
      return key === undefined ? label : `${label}: ${key}`;
    },
    valueOf(path, value) {
      const input = fieldOf(path)?.input;
      if (isMask(value) || input?.kind === 'password' || input?.kind === 'secret')
        return value ? 'a secret, not shown' : 'none';
      if (input?.kind === 'reference' && typeof value === 'string') {
        return <ReferenceById prefix={input.prefix} id={value} />;
      }
      if (input?.kind === 'choice' && typeof value === 'string') return wordOf(value);
      if (value === undefined || value === null || value === '') return 'empty';
      return <MemberValue name={path.at(-1) ?? ''} value={value} values={stored} />;
    },
  };
}

function ReferenceById({ prefix, id }: { readonly prefix: IdentifierPrefix; readonly id: string }) {
  const noun = useNouns().findByPrefix(prefix);
  return noun === null ? id : <NamedReference noun={noun} id={id} />;
}
