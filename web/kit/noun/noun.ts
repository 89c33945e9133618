import type { EndpointAnswer, EndpointInput, EndpointName } from '@foyer/sdk';
import type { Resource } from '@foyer/contract/conventions/resource.ts';
import type { ComponentType } from 'react';
import type { Choice } from '../format/choices.ts';
import type { FieldInput, FormGroup } from '../form/form-fields.ts';
import { lowered } from '../format/label.ts';
import type { FormRules } from '../form/form-faults-of.ts';

/** The part of a resource's declaration that nouns need. They load no schemas, so that the app starts quickly. */
export type Kind = Pick<Resource, 'object' | 'prefix'>;

/** A resource of any kind. */
export type Row = Readonly<Record<string, unknown>> & { readonly id: string };

/** The resource that an endpoint reads. */
export type RowOf<Read extends EndpointName> =
  EndpointAnswer<Read> extends { readonly data: infer R extends Row } ? R : never;

/** The members of the bodies of endpoints: the fields of their forms. */
export type FieldOf<Name extends EndpointName> = Name extends EndpointName
  ? EndpointInput<Name> extends { readonly body: infer Body }
    ? keyof Body & string
    : never
  : never;

export type AnyNoun = Noun;

/**
 * The data about a kind of resource that an app adds to the contract. `R` is a resource, `Field` the fields of its
 * forms.
 */
export interface Noun<R extends Row = Row, Field extends string = string> {
  readonly resource: Kind;
  /** The path below `/console` and below `/api/v1`. */
  readonly path: string;
  readonly singular: string;
  readonly plural: string;
  /** One sentence that explains the list. */
  readonly summary: string;
  /** Shown for an empty list: how the first one is created. */
  readonly emptyText: string;
  readonly icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
  /** The heading of the navigation that it is under; null for a list that another screen shows. */
  readonly section: string | null;
  readonly param: string;
  readonly list: EndpointName;
  readonly read: EndpointName;
  readonly create?: EndpointName;
  readonly update?: EndpointName;
  readonly remove?: EndpointName;
  // Methods, because their parameters are bivariant: so a `Noun<Room>` is assignable to `AnyNoun`.
  titleOf(row: R): string;
  /** Distinguishes resources with the same title. */
  detailOf(row: R): string | null;
  /** The default columns; the first one links to the page. */
  readonly columns: readonly (keyof R & string)[];
  /** The fields by which the list can be filtered. */
  readonly filters: readonly (keyof R & string)[];
  /** Further filters, each a query parameter. */
  readonly parameters?: Readonly<Record<string, { readonly label: string; readonly choices: readonly Choice[] }>>;
  /** Relationships that the list shows as columns, each with its title. */
  readonly relationships?: { readonly [Name in keyof R & string]?: string };
  /** Relationships that are always included, because a cell needs them. */
  readonly includes?: readonly (keyof R & string)[];
  /** Column titles that differ from the usual ones. */
  readonly heads?: { readonly [Name in keyof R & string]?: string };
  readonly rules?: FormRules<Field>;
  /** The tab on which the reason of a refused change can be resolved, by error code. */
  readonly refusalLinks?: Readonly<Record<string, { readonly tab: string; readonly label: string }>>;
  /** The default order of the list; by default the platform's. */
  readonly order?: { readonly orderBy: string; readonly sortedBy: 'asc' | 'desc' };
  readonly groups: readonly FormGroup<Field>[];
  readonly inputs?: { readonly [Name in Field]?: FieldInput };
  /** Members of the body that the form leaves out. */
  readonly hidden?: readonly Field[];
  /** Members that have separate actions. */
  readonly hiddenInChange?: readonly Field[];
  /** Members that need permission for a further endpoint. */
  readonly membersFor?: { readonly [Name in Field]?: EndpointName };
  /** The initial values of a creation form. */
  readonly defaults?: { readonly [Name in Field]?: unknown };
  readonly hints?: { readonly [Name in Field]?: string };
  /** Hints for creation forms only. */
  readonly creationHints?: { readonly [Name in Field]?: string };
  /** The member that is only shown once, after creation. */
  readonly shownOnce?: keyof R & string;
  /** The endpoint that creates a password link for a new person. */
  readonly passwordLink?: EndpointName;
  /** A log: its rows cannot be found by name. */
  readonly isLog?: true;
  /** The audit log has no entries about these resources. */
  readonly isUnaudited?: true;
  /** The title of a row is its time, so that rows cannot be found by name. */
  readonly isNameless?: true;
  /** The conditions of a deletion, and the resources that are deleted with it. */
  readonly deletion?: string;
}

/** The plural within a sentence. */
export function pluralWithin({ isLog, plural }: Noun): string {
  return isLog ? 'entries' : lowered(plural);
}

export function text<R extends Row>(row: R, name: keyof R & string): string {
  const value = row[name];
  return typeof value === 'string' ? value : '';
}

export function textOrNull<R extends Row>(row: R, name: keyof R & string): string | null {
  return text(row, name) || null;
}
