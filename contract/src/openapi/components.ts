import type { TObject } from 'typebox';
import { AdminSelf } from '../resources/administrators/admin.ts';
import { authEndpoints } from '../resources/auth/auth.ts';
import type { Endpoint } from '../conventions/endpoint.ts';
import { errorCodes } from '../conventions/error-codes.ts';
import { features } from '../resources/packages/features.ts';
import { Introspection, ServerMetadata, TokenGrant } from '../resources/auth/oauth.ts';
import type { Scalar, Schema } from './document.ts';
import { exampleObject } from './examples/example.ts';
import { publicMember, publicObject } from './schema.ts';
import { providerTypes } from '../resources/providers/provider-types.ts';
import type { Relationship, Resource } from '../conventions/resource.ts';
import { meetRoomSettings, roomSettingDefaults, roomSettings } from '../resources/rooms/room-settings.ts';
import { reportEndpoints } from '../resources/platform/report.ts';
import { SubscriptionProvider } from '../resources/subscriptions/subscription.ts';
import { MailWithContents } from '../resources/platform/mail.ts';
import { UserSelf } from '../resources/users/user.ts';

/** Names of components whose `object` is not unique. */
const explicitNames = new Map<Resource | TObject, string>([
  [AdminSelf, 'AdminSelf'],
  [UserSelf, 'UserSelf'],
  [MailWithContents, 'MailWithContents'],
  [SubscriptionProvider, 'ServicePackageSubscriptionProvider'],
  [authEndpoints.loginAdmin.answer.schema, 'TokenObject'],
  [TokenGrant, 'TokenGrant'],
  [Introspection, 'Introspection'],
  [ServerMetadata, 'AuthorizationServer'],
  [reportEndpoints.readUsageReport.answer.schema, 'UsageReport'],
  [reportEndpoints.readSubscriptionsReport.answer.schema, 'SubscriptionsReport'],
]);

/** The name of the component of the resource or the computed object; null if it is described inline. */
export function componentName(type: Resource | TObject): string | null {
  const explicitName = explicitNames.get(type);
  if (explicitName) return explicitName;
  if ('fields' in type) return type.object;
  const { object } = type.properties as { object?: { enum?: unknown[]; const?: unknown } };
  const name = object?.const ?? object?.enum?.[0];
  return typeof name === 'string' ? name : null;
}

export function componentSchemas(endpoints: readonly Endpoint[]): Record<string, Schema> {
  const resources = resourcesOf(endpoints);
  const schemas: Record<string, Schema> = {};
  for (const [name, resource] of resources) schemas[name] = resourceSchema(name, resource, resources);
  for (const { answer } of endpoints) {
    const name = answer.kind === 'object' ? componentName(answer.schema) : null;
    if (name && answer.kind === 'object') {
      schemas[name] = publicObject(answer.schema, 'answer', exampleObject(name, answer.schema));
    }
  }
  return { ...schemas, ...sharedSchemas() };
}

/** @throws if two resources have the same name; then one of them needs an explicit name. */
function resourcesOf(endpoints: readonly Endpoint[]): Map<string, Resource> {
  const resources = new Map<string, Resource>();
  for (const { answer } of endpoints) {
    if (answer.kind !== 'resource' && answer.kind !== 'list') continue;
    const name = componentName(answer.resource) ?? answer.resource.object;
    const existing = resources.get(name);
    if (existing && existing !== answer.resource) throw new Error(`Two resources are called ${name} in the reference.`);
    resources.set(name, answer.resource);
  }
  return resources;
}

function resourceSchema(name: string, resource: Resource, resources: ReadonlyMap<string, Resource>): Schema {
  const object = { properties: resource.fields, required: Object.keys(resource.fields) } as unknown as TObject;
  const schema = publicObject(object, 'answer', exampleObject(name, object));
  const included = Object.entries(resource.includes).map(([relation, target]) => [
    relation,
    includedSchema(relation, target, resource, resources),
  ]);
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(included) } };
}

function includedSchema(
  relation: string,
  target: Relationship,
  owner: Resource,
  resources: ReadonlyMap<string, Resource>,
): Schema {
  const name = targetName(target, owner, resources);
  const item: Schema = name ? { $ref: `#/components/schemas/${name}` } : { type: 'object' };
  return {
    type: 'object',
    description: `Only with \`include=${relation}\`.`,
    properties: { data: target.many ? { type: 'array', items: item } : { anyOf: [item, { type: 'null' }] } },
    required: ['data'],
  };
}

/**
 * If several resources have this `object`, the one that refers back to the owner, or else the one with the plain name. A
 * component whose name ends with `Self` describes the caller and is never included.
 */
function targetName(target: Relationship, owner: Resource, resources: ReadonlyMap<string, Resource>): string | null {
  const candidates = [...resources].filter(([, { object }]) => object === target.object);
  const referringBack = candidates.find(
    ([name, { includes }]) =>
      name !== target.object &&
      !name.endsWith('Self') &&
      Object.values(includes).some(({ object }) => object === owner.object),
  );
  return (referringBack ?? candidates.find(([name]) => name === target.object) ?? candidates[0])?.[0] ?? null;
}

function sharedSchemas(): Record<string, Schema> {
  const scalar: Schema = { type: ['string', 'number', 'boolean', 'null'] };
  return {
    Metadata: {
      type: 'object',
      description:
        'Your own key-value pairs. A value is a text, a number, a boolean, null, or one level of a list or object of these. At most 64 KiB. A write replaces the whole object.',
      maxProperties: 256,
      propertyNames: { minLength: 1, maxLength: 64 },
      additionalProperties: {
        anyOf: [scalar, { type: 'array', items: scalar }, { type: 'object', additionalProperties: scalar }],
      },
    },
    RoomSettings: roomSettingsSchema(),
    RoomFeatureValues: {
      type: 'object',
      description:
        "Narrows the subscription's features for this room. Features that the subscription does not have are ignored.",
      properties: Object.fromEntries(
        features.map(({ code, description }) => [code, { type: ['string', 'number', 'boolean'], description }]),
      ),
      additionalProperties: true,
    },
    ServiceProviderProperties: providerPropertiesSchema(),
    Meta: {
      type: 'object',
      properties: {
        include: { type: 'array', items: { type: 'string' }, description: 'The relationships that `include` can add.' },
        custom: customSchema(),
      },
      required: ['include', 'custom'],
    },
    ListMeta: {
      type: 'object',
      properties: {
        include: { type: 'array', items: { type: 'string' }, description: 'The relationships that `include` can add.' },
        custom: customSchema(),
        pagination: { $ref: '#/components/schemas/Pagination', description: 'Absent with `limit=0`.' },
      },
      required: ['include', 'custom'],
    },
    Pagination: paginationSchema(),
    ErrorCode: { type: 'string', enum: Object.keys(errorCodes) },
    ErrorBody: errorBody(),
    OAuthErrorBody: {
      ...errorBody(),
      properties: {
        ...errorBody().properties,
        error: { type: 'string', description: 'The error of RFC 6749.', examples: ['invalid_grant'] },
        error_description: { type: 'string' },
      },
    },
  };
}

function customSchema(): Schema {
  return {
    anyOf: [
      { type: 'array', maxItems: 0 },
      {
        type: 'object',
        properties: { ignored_includes: { type: 'array', items: { type: 'string' } } },
        required: ['ignored_includes'],
      },
    ],
    description: '`[]`, or the names in `include` that were ignored.',
  };
}

function paginationSchema(): Schema {
  const url: Schema = { type: ['string', 'null'], format: 'uri' };
  return {
    type: 'object',
    properties: {
      total: { type: 'integer', description: 'Number of all matches. Absent with `count=false`.' },
      count: { type: 'integer', description: 'Number of rows on this page.' },
      per_page: { type: 'integer' },
      current_page: {
        type: 'integer',
        description:
          'With `cursor`, the number of this page, counted from the first page, which was requested without a cursor.',
      },
      total_pages: { type: 'integer', description: 'Absent with `count=false`.' },
      next_cursor: { type: ['string', 'null'], description: 'Null on the last page.' },
      links: { type: 'object', properties: { previous: url, next: url }, required: ['previous', 'next'] },
    },
    required: ['count', 'per_page', 'current_page', 'next_cursor', 'links'],
  };
}

function errorBody(): Schema {
  return {
    type: 'object',
    properties: {
      message: { type: 'string', description: 'A sentence for people.' },
      errors: {
        type: 'object',
        description: 'The faults of each member of the body or query. Nested members are written with dots.',
        additionalProperties: { type: 'array', items: { type: 'string' } },
      },
      code: { $ref: '#/components/schemas/ErrorCode', description: 'A machine-readable code; it never changes.' },
      request_id: { type: 'string', description: 'The id of the request in the log.' },
    },
    required: ['message', 'errors', 'code', 'request_id'],
  };
}

function roomSettingsSchema(): Schema {
  const defaults: Readonly<Record<string, Scalar>> = roomSettingDefaults;
  const members = Object.entries({ ...roomSettings, ...meetRoomSettings }).map(([name, schema]) => [
    name,
    {
      ...publicMember(name, schema, 'request'),
      ...(defaults[name] === undefined ? {} : { default: defaults[name] }),
    },
  ]);
  return {
    type: 'object',
    description: 'Settings that the platform knows are validated; other keys are stored unchanged.',
    properties: Object.fromEntries(members),
    additionalProperties: true,
  };
}

function providerPropertiesSchema(): Schema {
  const members: Record<string, Schema> = {};
  for (const type of providerTypes) {
    for (const property of type.properties) {
      members[property.name] ??= {
        type: 'string',
        description: property.secret
          ? `${property.description} Printed as \`********\`; writing the mask back keeps the stored value.`
          : property.description,
        ...(property.choices ? { enum: property.choices } : {}),
        ...(property.deprecated ? { deprecated: true } : {}),
      };
    }
  }
  const required = providerTypes.map(
    ({ name, properties }) =>
      `\`${name}\`: ${properties.flatMap((property) => (property.required ? [`\`${property.name}\``] : [])).join(', ')}`,
  );
  return {
    type: 'object',
    description: `Address and credentials. Required when a provider is added: ${required.join('; ')}.`,
    properties: members,
    additionalProperties: true,
  };
}
