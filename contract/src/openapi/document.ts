import type { RightLevel } from '../conventions/endpoint.ts';
import type { ErrorCode } from '../conventions/error-codes.ts';
import type { FeatureDefinition } from '../resources/packages/feature-definition.ts';
import type { Right } from '../conventions/rights.ts';
import type { Permission, PermissionName } from '../conventions/permissions.ts';

/** What Foyer uses of OpenAPI 3.1, with the `x-` members that the reference reads. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description?: string }[];
  readonly tags: readonly Tag[];
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<Verb, Operation>>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
  readonly 'x-error-codes': readonly { readonly code: ErrorCode; readonly status: number; readonly meaning: string }[];
  readonly 'x-permissions': readonly (Permission & { readonly scope: string })[];
  /** What a token can be limited to, each in a sentence. */
  readonly 'x-scopes': readonly { readonly scope: string; readonly meaning: string }[];
  readonly 'x-features': readonly FeatureDefinition[];
}

export interface Tag {
  readonly name: string;
  readonly description?: string;
}

export type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  /** Paragraphs of Markdown; the last one says who may call. */
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, MediaType>>;
  };
  readonly responses: Readonly<Record<string, Answer | Reference>>;
  readonly 'x-access': OperationAccess;
  readonly 'x-permission'?: OperationPermission;
  readonly 'x-list'?: ListMembers;
  /** The path without the server's `/api/v1`, where the operation answers, too. */
  readonly 'x-root-path'?: string;
  /** Members that never change: given and different, they are a 422. */
  readonly 'x-immutable'?: readonly string[];
  /** Members of the body that only administrators may give. */
  readonly 'x-reserved'?: readonly string[];
  /** Members of the body that only administrators give, and users whose right comes from a customer above. */
  readonly 'x-reserved-from-above'?: readonly string[];
  /** Also counted per address and name. */
  readonly 'x-limit'?: 'login';
}

export interface OperationAccess {
  readonly kind: 'public' | 'open-door' | 'authenticated' | 'permission';
  /** Null where both may call. */
  readonly population: 'admins' | 'users' | null;
  /** What lets users through, where a permission lets administrators through. */
  readonly users?: UserAccess;
  /** Who may call, in words. */
  readonly sentence: string;
}

export interface UserAccess {
  /** What a membership must give. */
  readonly right: Right;
  /** The read that the right requires besides. */
  readonly requires: Right | null;
  /** The thing on which it is asked, by the member of path or body that names it; null on lists of what is in reach. */
  readonly on: { readonly level: RightLevel; readonly member: string } | null;
  readonly sentence: string;
}

export interface OperationPermission {
  readonly name: PermissionName;
  /** Read permissions that the caller needs besides. */
  readonly requires: readonly PermissionName[];
  /** What the token must be allowed. */
  readonly scopes: readonly string[];
}

export interface ListMembers {
  /** What `orderBy` and `search` take. */
  readonly fields: readonly string[];
  /** Where a search without a field looks. */
  readonly freeText: readonly string[];
  readonly includes: readonly string[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Reference {
  readonly $ref: string;
}

export interface Header {
  readonly description: string;
  readonly schema: Schema;
}

export interface MediaType {
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
  /** The codes that an error of this status can carry here. */
  readonly 'x-codes'?: readonly ErrorCode[];
}

/** A schema of JSON Schema 2020-12. */
export interface Schema {
  readonly $ref?: string;
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly const?: Scalar;
  readonly enum?: readonly Scalar[];
  readonly examples?: readonly unknown[];
  readonly default?: Scalar;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly propertyNames?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly deprecated?: boolean;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
}

export type Scalar = string | number | boolean | null;
