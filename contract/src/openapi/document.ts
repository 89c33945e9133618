import type { RightLevel } from '../conventions/endpoint.ts';
import type { ErrorCode } from '../conventions/error-codes.ts';
import type { FeatureDefinition } from '../resources/packages/feature-definition.ts';
import type { Right } from '../conventions/rights.ts';
import type { Permission, PermissionName } from '../conventions/permissions.ts';

/** The parts of OpenAPI 3.1 that Foyer uses, with the `x-` members for the reference. */
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
  /** The scopes, each with a sentence. */
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
  /** Paragraphs of Markdown; the last one describes the access. */
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
  /** The path at the root, without `/api/v1`, if the operation is also there. */
  readonly 'x-root-path'?: string;
  /** Members that never change; a different value is rejected with 422. */
  readonly 'x-immutable'?: readonly string[];
  /** Members of the body that only administrators can set. */
  readonly 'x-reserved'?: readonly string[];
  /** Members of the body that only administrators can set, or users whose right comes from a customer above. */
  readonly 'x-reserved-from-above'?: readonly string[];
  /** Whether it is also rate-limited per address and name. */
  readonly 'x-limit'?: 'login';
}

export interface OperationAccess {
  readonly kind: 'public' | 'optional-token' | 'authenticated' | 'permission';
  /** Null if both administrators and users may call. */
  readonly population: 'admins' | 'users' | null;
  /** The access of users, if administrators need a permission. */
  readonly users?: UserAccess;
  /** The access as a sentence. */
  readonly sentence: string;
}

export interface UserAccess {
  /** The right that a membership must give. */
  readonly right: Right;
  /** The read right that this right requires. */
  readonly requires: Right | null;
  /** The resource on which the right is needed, and the member of path or body with its id; null for lists. */
  readonly on: { readonly level: RightLevel; readonly member: string } | null;
  readonly sentence: string;
}

export interface OperationPermission {
  readonly name: PermissionName;
  /** Read permissions that the caller needs as well. */
  readonly requires: readonly PermissionName[];
  /** The scope that the token needs. */
  readonly scopes: readonly string[];
}

export interface ListMembers {
  /** The fields that `orderBy` and `search` accept. */
  readonly fields: readonly string[];
  /** The fields of a free-text search. */
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
  /** The error codes of this status for this operation. */
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
