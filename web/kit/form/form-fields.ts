import type { ComponentType } from 'react';
import type { TObject, TSchema } from 'typebox';
import type { IdentifierPrefix } from '@foyer/contract/conventions/identifier-prefixes.ts';
import { choicesOf } from '../list/columns.ts';
import { type DurationBase, durationBaseOf } from '../format/durations.ts';
import { labelOf } from '../format/label.ts';
import type { Constraints } from '../list/search.ts';

export type FieldInput =
  | { readonly kind: 'text'; readonly format: string | null; readonly maxLength: number | null }
  | { readonly kind: 'multiline' | 'password' | 'secret' | 'boolean' | 'day' | 'instant' | 'color' }
  | { readonly kind: 'number'; readonly minimum: number; readonly maximum: number; readonly decimals: number }
  | { readonly kind: 'choice' | 'choices'; readonly choices: readonly string[] }
  | { readonly kind: 'reference' | 'references'; readonly prefix: IdentifierPrefix; readonly within?: Constraints }
  | { readonly kind: 'time-zone' | 'currency' | 'country' | 'locale' }
  | { readonly kind: 'duration'; readonly base: DurationBase; readonly minimum: number; readonly maximum: number }
  | { readonly kind: 'metadata' | 'list' }
  | {
      readonly kind: 'custom';
      readonly Input: ComponentType<InputProps>;
      /** Whether errors at a path that is no field of the form belong to this input. */
      readonly showsErrorAt?: (path: string) => boolean;
      /** The errors that are shown before the form is submitted, by path. */
      readonly errorsOf?: (
        field: FormField,
        values: Readonly<Record<string, unknown>>,
      ) => Readonly<Record<string, readonly string[]>>;
    };

export interface InputProps {
  readonly field: FormField;
  readonly value: unknown;
  /** All values of the form, for an input that depends on another field. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Errors by their path below the field; `''` is the field itself. */
  readonly faults: Readonly<Record<string, string>>;
  readonly onChange: (value: unknown) => void;
  /** Changes another field of the form. */
  readonly onOther: (name: string, value: unknown) => void;
}

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly description: string | null;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly input: FieldInput;
}

/** The fields of a form for the body of an endpoint, in the order of the contract. */
export function formFieldsOf(
  body: TObject,
  special: { readonly [field: string]: FieldInput | undefined } = {},
): FormField[] {
  const required = new Set<string>((body as { required?: readonly string[] }).required ?? []);
  return Object.entries(body.properties).map(([name, schema]) => ({
    name,
    label: labelOf(name),
    description: descriptionOf(schema),
    required: required.has(name),
    nullable: isNullable(schema),
    input: special[name] ?? asDuration(name, inputFor(schema)),
  }));
}

export function inputFor(schema: TSchema): FieldInput {
  const member = schema as {
    type?: string | readonly string[];
    format?: string;
    writeOnly?: boolean;
    minimum?: number;
    maximum?: number;
    maxLength?: number;
    'x-prefix'?: IdentifierPrefix;
    'x-day'?: boolean;
    'x-multiline'?: boolean;
    'x-decimals'?: number;
  };
  const types = typeof member.type === 'string' ? [member.type] : (member.type ?? []);
  const type = types.find((name) => name !== 'null');
  const choices = choicesOf(schema);
  if (choices.length > 0) return { kind: 'choice', choices };
  if (type === 'boolean') return { kind: 'boolean' };
  if (type === 'array') return listInputFor(schema);
  if (type === 'object') return { kind: 'metadata' };
  if (type === 'number' || type === 'integer') {
    return {
      kind: 'number',
      minimum: member.minimum ?? 0,
      maximum: member.maximum ?? Number.MAX_SAFE_INTEGER,
      decimals: type === 'integer' ? 0 : (member['x-decimals'] ?? 4),
    };
  }
  if (member.format === 'identifier' && member['x-prefix']) return { kind: 'reference', prefix: member['x-prefix'] };
  if (member.format === 'date-time') return { kind: member['x-day'] ? 'day' : 'instant' };
  if (member.writeOnly) return { kind: 'password' };
  if (member['x-multiline'] || (member.maxLength ?? 0) >= 10_000) return { kind: 'multiline' };
  const format = member.format ?? null;
  if (
    format === 'time-zone' ||
    format === 'currency' ||
    format === 'country' ||
    format === 'locale' ||
    format === 'color'
  ) {
    return { kind: format };
  }
  return { kind: 'text', format, maxLength: member.maxLength ?? null };
}

/** The input of a list: checkboxes for an enumeration, a picker for references, or a text input. */
function listInputFor(schema: TSchema): FieldInput {
  const { items } = schema as { items?: TSchema & { format?: string; 'x-prefix'?: IdentifierPrefix } };
  const choices = items === undefined ? [] : choicesOf(items);
  if (choices.length > 0) return { kind: 'choices', choices };
  if (items?.format === 'identifier' && items['x-prefix']) return { kind: 'references', prefix: items['x-prefix'] };
  return { kind: 'list' };
}

function asDuration(name: string, input: FieldInput): FieldInput {
  const base = durationBaseOf(name);
  if (base === null || input.kind !== 'number') return input;
  return { kind: 'duration', base, minimum: input.minimum, maximum: input.maximum };
}

/** Descriptions are written for the reference, with code in backquotes. Inputs that offer names need no format. */
function descriptionOf(schema: TSchema): string | null {
  const { description, format } = schema as { description?: string; format?: string };
  if (format === 'country' || format === 'currency' || format === 'locale') return null;
  return description?.replaceAll('`', '') ?? null;
}

function isNullable(schema: TSchema): boolean {
  const { type } = schema as { type?: string | readonly string[] };
  return Array.isArray(type) && type.includes('null');
}

export interface FormGroup<Field extends string = string> {
  readonly title: string;
  readonly fields: readonly Field[];
  /** Collapsed in creation forms, because defaults usually fit. */
  readonly foldedAtCreation?: boolean;
}

/** Groups the fields. Fields of no group come last, collapsed, so that new fields of the contract appear. */
export function groupFields(
  fields: readonly FormField[],
  groups: readonly FormGroup[],
  isCreation: boolean,
): { title: string; fields: FormField[]; folded: boolean }[] {
  const fieldsByName = new Map(fields.map((field) => [field.name, field]));
  const titledGroups = groups.map(({ title, fields: names, foldedAtCreation = false }) => ({
    title,
    folded: isCreation && foldedAtCreation,
    fields: names.flatMap((name) => fieldsByName.get(name) ?? []),
  }));
  const grouped = new Set(groups.flatMap((group) => group.fields));
  const rest = fields.filter(({ name }) => !grouped.has(name));
  const all = [...titledGroups, { title: groups.length === 0 ? '' : 'More', fields: rest, folded: groups.length > 0 }];
  return all.filter((group) => group.fields.length > 0);
}
