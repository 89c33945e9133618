/** @jsxImportSource preact */
import type { ReferenceOperation } from '../read-document.ts';
import { useReference } from '../reference-context.tsx';
import { JsonSample, highlightCurl, Sample } from './sample.tsx';

/** The request as a curl command, and the response. */
export function Samples({ endpoint }: { endpoint: ReferenceOperation }) {
  const { server } = useReference();
  const { verb, path, pathParameters, body, fileTypes, success, operation, list } = endpoint;
  let url = path;
  for (const { name, example } of pathParameters) url = url.replace(`{${name}}`, String(example));
  if (list) url += '?limit=25';
  const needsToken = ['authenticated', 'permission'].includes(operation['x-access'].kind);
  const request = highlightCurl({ verb, url: server + url, needsToken, body: body?.example, fileType: fileTypes[0] });
  return (
    <div class="samples">
      <Sample title="Request" html={request} wraps />
      {success.example === undefined ? (
        <p class="nothing">
          <b>{success.status}</b> No body
        </p>
      ) : (
        <JsonSample title={`${success.status} Response`} value={sampleAnswer(endpoint)} />
      )}
    </div>
  );
}

/** Shortens objects that the page describes in full. */
function sampleAnswer({ success, body }: ReferenceOperation): unknown {
  const { example, objectName, status } = success;
  if (!objectName || status === 201 || !isEnvelope(example)) return example;
  const sent = Object.keys((body?.example as object | undefined) ?? {});
  const shorten = (object: Record<string, unknown>) => abbreviate(object, objectName, sent);
  const { data, meta } = example;
  if (!Array.isArray(data)) return { data: shorten(data), meta };
  const { pagination } = meta;
  return {
    data: data.map(shorten),
    meta: { ...meta, ...(pagination ? { pagination: abbreviate(pagination, 'lists', ['total', 'next_cursor']) } : {}) },
  };
}

interface Envelope {
  readonly data: Record<string, unknown> | Record<string, unknown>[];
  readonly meta: { readonly pagination?: Record<string, unknown> };
}

function isEnvelope(example: unknown): example is Envelope {
  return typeof example === 'object' && example !== null && 'data' in example && 'meta' in example;
}

const maxMembers = 6;

/** Keeps the identifier, the members that were sent, and a few others. */
function abbreviate(object: Record<string, unknown>, anchor: string, sent: readonly string[]): Record<string, unknown> {
  const names = Object.keys(object);
  if (names.length <= maxMembers) return object;
  const shownMembers = new Set(['object', 'id', ...sent]);
  for (const name of names) {
    if (shownMembers.size < maxMembers - 1 && name !== 'uuid' && name !== 'ulid') shownMembers.add(name);
  }
  const shownEntries = names.filter((name) => shownMembers.has(name)).map((name) => [name, object[name]]);
  return { ...Object.fromEntries(shownEntries), '…': anchor };
}
