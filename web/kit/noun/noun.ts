import type { EndpointName } from '@foyer/contract';
import type { Resource } from '@foyer/contract/conventions/resource.ts';
import type { ComponentType } from 'react';
import type { Choice } from '../format/choices.ts';
import type { FieldInput, FormGroup } from '../form/form-fields.ts';
import { lowered } from '../format/label.ts';
import type { FormRules } from '../form/form-faults-of.ts';

/** A resource object as the console handles it when it does not know which. */
/** The part of a resource's declaration that the first view needs. */
export type Kind = Pick<Resource, 'object' | 'prefix'>;

export type AnyNoun = Noun;

export type Row = Readonly<Record<string, unknown>> & { readonly id: string };

/** What the console adds to the contract about one kind of resource. */
export interface Noun {
  readonly resource: Kind;
  /** Below `/console`, and below `/api/v1`. */
  readonly path: string;
  readonly singular: string;
  readonly plural: string;
  /** One sentence for whoever sees the list for the first time. */
  readonly summary: string;
  /** What stands where there is none of it: what brings the first one. */
  readonly whileNone: string;
  readonly icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
  readonly param: string;
  readonly list: EndpointName;
  readonly read: EndpointName;
  readonly create?: EndpointName;
  readonly update?: EndpointName;
  readonly remove?: EndpointName;
  readonly titleOf: (row: Row) => string;
  /** What tells two of the same title apart. */
  readonly detailOf: (row: Row) => string | null;
  /** Shown in the table until chosen otherwise; the first leads to the page. */
  readonly columns: readonly string[];
  /** Fields that the list can be narrowed to, by an input that fits their kind. */
  readonly filters: readonly string[];
  /** What the list can be narrowed to besides, each a parameter of its own. */
  readonly parameters?: Readonly<Record<string, { readonly label: string; readonly choices: readonly Choice[] }>>;
  /** Relationships that the list shows as columns, each with its head. */
  readonly relationships?: Readonly<Record<string, string>>;
  /** Relationships that come along whatever columns are shown: a cell speaks of them. */
  readonly includes?: readonly string[];
  /** Columns that are headed otherwise than elsewhere. */
  readonly heads?: Readonly<Record<string, string>>;
  readonly rules?: FormRules;
  /** The tab that shows what stands in the way, by the code of the refusal. */
  readonly waysOn?: Readonly<Record<string, { readonly tab: string; readonly label: string }>>;
  /** How the list is sorted until somebody sorts it otherwise; as the platform does when it is not given. */
  readonly order?: { readonly orderBy: string; readonly sortedBy: 'asc' | 'desc' };
  readonly groups: readonly FormGroup[];
  readonly inputs?: Readonly<Record<string, FieldInput>>;
  /** Members of the body that the form leaves out. */
  readonly hidden?: readonly string[];
  /** Members that are changed by actions of their own. */
  readonly hiddenInChange?: readonly string[];
  /** Members of the body that only those see who may call an endpoint besides. */
  readonly membersFor?: Readonly<Record<string, EndpointName>>;
  /** What a new one begins with in the form. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly hints?: Readonly<Record<string, string>>;
  /** What is worth saying only where a new one is made. */
  readonly creationHints?: Readonly<Record<string, string>>;
  /** The member of a new one that is shown this once. */
  readonly shownOnce?: string;
  /** Makes the link by which a new person chooses a password, where none is given to them. */
  readonly passwordLink?: EndpointName;
  /** Its rows are what happened: nobody looks for one of them by its name. */
  readonly isLog?: true;
  /** It is called by when it was: no word finds it. */
  readonly isNameless?: true;
  /** When it can be deleted, and what goes with it. */
  readonly deletion?: string;
}

/** What many of them are called within a sentence. */
export function pluralWithin({ isLog, plural }: Noun): string {
  return isLog ? 'entries' : lowered(plural);
}

export function text(row: Row, name: string): string {
  const value = row[name];
  return typeof value === 'string' ? value : '';
}

export function textOrNull(row: Row, name: string): string | null {
  return text(row, name) === '' ? null : text(row, name);
}
