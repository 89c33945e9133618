import type {
  Answer,
  ListMembers,
  OpenApiDocument,
  Operation,
  Parameter,
  Reference,
  Schema,
} from '@foyer/contract/openapi/document.ts';

/** The schemas and operations of one tag of the document, with all references resolved. */
export interface Chapter {
  readonly name: string;
  readonly slug: string;
  readonly description: string | undefined;
  readonly objects: readonly NamedSchema[];
  readonly operations: readonly ReferenceOperation[];
}

export interface NamedSchema {
  readonly name: string;
  readonly schema: Schema;
}

export interface ReferenceOperation {
  readonly name: string;
  readonly verb: string;
  readonly path: string;
  readonly summary: string;
  readonly paragraphs: readonly string[];
  readonly operation: Operation;
  readonly pathParameters: readonly Parameter[];
  readonly queryParameters: readonly Parameter[];
  readonly headerParameters: readonly Parameter[];
  readonly list: ListMembers | null;
  readonly body: { readonly schema: Schema; readonly example: unknown; readonly isForm: boolean } | null;
  /** The media types of a body that is a file. */
  readonly fileTypes: readonly string[];
  readonly success: {
    readonly status: number;
    readonly answer: Answer;
    readonly example: unknown;
    /** The schema of the returned object, which the page already describes. */
    readonly objectName: string | null;
  };
  readonly errors: readonly { readonly status: number; readonly codes: readonly string[] }[];
}

export function readChapters(document: OpenApiDocument): Chapter[] {
  const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => readOperation(document, path, verb, operation)),
  );
  const described = new Set<string>();
  return document.tags.map(({ name, description }) => {
    const tagOperations = operations.filter(({ operation }) => operation.tags[0] === name);
    return {
      name,
      slug: slugOf(name),
      description,
      objects: objectsOf(document, tagOperations, described),
      operations: tagOperations,
    };
  });
}

/** The start of the paragraph about reserved members, which the page shows at the members instead. */
const reservedMembersStart = /^Only administrators\b.* can set these/;

export function schemaName(reference: string): string {
  return reference.replace('#/components/schemas/', '');
}

/** The page or section that explains a schema, for schemas that the guide or a catalogue explains. */
export const pagesOfSchemas: Readonly<Record<string, string>> = {
  Metadata: 'metadata',
  RoomFeatureValues: 'feature-catalogue',
  Meta: 'response-envelope',
  ListMeta: 'lists',
  Pagination: 'lists',
};

function readOperation(
  document: OpenApiDocument,
  path: string,
  verb: string,
  operation: Operation,
): ReferenceOperation {
  const parameters = (operation.parameters ?? []).map((parameter) => resolveParameter(document, parameter));
  const answers = Object.entries(operation.responses).map(
    ([code, response]) => [code, resolveAnswer(document, response)] as const,
  );
  const [status = '200', answer = { description: '' }] = answers.find(([code]) => code.startsWith('2')) ?? [];
  const content = operation.requestBody?.content ?? {};
  const media = content['application/json'];
  return {
    name: operation.operationId,
    verb,
    path,
    summary: operation.summary,
    paragraphs: operation.description
      .split('\n\n')
      .filter((text) => text !== operation['x-access'].sentence && !reservedMembersStart.test(text)),
    operation,
    pathParameters: parameters.filter((parameter) => parameter.in === 'path'),
    queryParameters: parameters.filter((parameter) => parameter.in === 'query'),
    headerParameters: parameters.filter((parameter) => parameter.in === 'header'),
    list: operation['x-list'] ?? null,
    body: media
      ? {
          schema: resolveSchema(document, media.schema),
          example: media.example,
          isForm: 'application/x-www-form-urlencoded' in content,
        }
      : null,
    fileTypes: media ? [] : Object.keys(content),
    success: {
      status: Number(status),
      answer,
      example: answer.content?.['application/json']?.example,
      objectName: answerNames(answer).find((name) => !pagesOfSchemas[name]) ?? null,
    },
    errors: answers.flatMap(([code, error]) =>
      error['x-codes'] ? [{ status: Number(code), codes: error['x-codes'] }] : [],
    ),
  };
}

function resolveParameter(document: OpenApiDocument, parameter: Parameter | Reference): Parameter {
  if (!('$ref' in parameter)) return parameter;
  const resolved = document.components.parameters[parameter.$ref.replace('#/components/parameters/', '')];
  if (!resolved) throw new Error(`The document has no ${parameter.$ref}.`);
  return resolved;
}

function resolveAnswer(document: OpenApiDocument, answer: Answer | Reference): Answer {
  if (!('$ref' in answer)) return answer;
  const response = document.components.responses[answer.$ref.replace('#/components/responses/', '')];
  if (!response) throw new Error(`The document has no ${answer.$ref}.`);
  return response;
}

function resolveSchema(document: OpenApiDocument, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (document.components.schemas[schemaName(schema.$ref)] ?? {});
}

/** The schemas that the operations return, and the schemas in them. Each is described in one chapter. */
function objectsOf(
  document: OpenApiDocument,
  operations: readonly ReferenceOperation[],
  described: Set<string>,
): NamedSchema[] {
  const names = operations.flatMap(({ success }) => answerNames(success.answer));
  const members = names.flatMap((name) => memberNames(document.components.schemas[name] ?? {}));
  const objects: NamedSchema[] = [];
  for (const name of [...names, ...members]) {
    const schema = document.components.schemas[name];
    if (!schema || described.has(name) || pagesOfSchemas[name]) continue;
    described.add(name);
    objects.push({ name, schema });
  }
  return objects;
}

function answerNames({ content }: Answer): string[] {
  const schema = content?.['application/json']?.schema;
  const data = schema?.properties?.['data'];
  return [schema, data, data?.items].flatMap((candidate) => (candidate?.$ref ? [schemaName(candidate.$ref)] : []));
}

/** The schemas of members, except included resources, which have their own chapters. */
function memberNames(schema: Schema): string[] {
  return Object.values(schema.properties ?? {}).flatMap(({ $ref }) => ($ref ? [schemaName($ref)] : []));
}

export function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
