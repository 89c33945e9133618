import {
  type MultipartForm,
  type UploadedFile,
  mediaType,
  readBody,
  readForm,
  readMultipart,
} from '../../http/body.ts';
import { type SandboxRequest, decodeQuery } from '../../http/request.ts';

export interface CallInput {
  parameters: Map<string, string>;
  xml: string | null;
  json: Record<string, unknown> | null;
  files: Map<string, UploadedFile>;
  hasBody: boolean;
  mediaType: string | null;
}

/** Query parameters override those of the body. */
export async function readInput({ message, query }: SandboxRequest): Promise<CallInput> {
  const body = await readBody(message);
  const type = mediaType(message.headers);
  const parameters = decodeQuery(query);
  const input = { parameters, xml: null, json: null, files: new Map(), hasBody: body.length > 0, mediaType: type };
  if (body.length === 0 || type === null) return input;
  if (type === 'application/xml' || type === 'text/xml') return { ...input, xml: body.toString('utf8') };
  if (type === 'application/json') return { ...input, json: readJsonObject(body) };
  const { fields, files } = await readFields(type, message.headers['content-type'] ?? '', body);
  for (const [name, value] of fields) {
    if (!parameters.has(name)) parameters.set(name, value);
  }
  return { ...input, files };
}

async function readFields(type: string, contentType: string, body: Buffer): Promise<MultipartForm> {
  const emptyForm = { fields: new Map<string, string>(), files: new Map<string, UploadedFile>() };
  if (type === 'application/x-www-form-urlencoded') return { ...emptyForm, fields: readForm(body) };
  if (type !== 'multipart/form-data') return emptyForm;
  return readMultipart(contentType, body).catch(() => emptyForm);
}

/** Null for anything else. */
function readJsonObject(body: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
