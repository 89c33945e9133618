import { type Fault, type Reaction, spoil } from '../faults.ts';
import type { Answer } from '../http/answer.ts';
import { mediaType, readBody, readForm, readMultipart } from '../http/body.ts';
import { type SandboxRequest, decodeQuery } from '../http/request.ts';
import type { World } from '../world/world.ts';
import type { ApiCall, CallHandler } from './call.ts';
import { verifyChecksum } from './checksum.ts';
import { deleteRecordings, publishRecordings, updateRecordings } from './change-recordings.ts';
import { create } from './create.ts';
import { createHook, destroyHook, listHooks } from './hooks.ts';
import { join, refuseJoin } from './join.ts';
import { end, getMeetingInfo, getMeetings, getSessions, isMeetingRunning } from './meetings.ts';
import { getRecordings } from './recordings.ts';
import { ApiRefusal, refusal } from './refusals.ts';
import { failed, success } from './xml.ts';

/** Answers what came below the API's prefix. `name` is the path after it, empty for the prefix itself. */
export async function answerCall(world: World, request: SandboxRequest, name: string): Promise<Reaction> {
  const call = name === '' ? 'root' : name;
  const fault = world.faults.take(call);
  const input = await readInput(request);
  const answer = !fault || fault.applied ? perform(world, request, name, input) : noAnswer;
  logCall(world, request, call, input, fault, answer);
  return fault ? spoil(fault, answer, world.closing) : answer;
}

interface CallDeclaration {
  handler: CallHandler;
  methods: string[];
  bodies: string[];
}

const form = ['application/x-www-form-urlencoded', 'multipart/form-data'];
const xml = ['application/xml', 'text/xml'];
const both = ['GET', 'POST'];

const calls = new Map<string, CallDeclaration>([
  ['create', { handler: create, methods: both, bodies: [...form, ...xml] }],
  ['join', { handler: join, methods: ['GET'], bodies: [] }],
  ['isMeetingRunning', { handler: isMeetingRunning, methods: both, bodies: form }],
  ['getMeetingInfo', { handler: getMeetingInfo, methods: both, bodies: form }],
  ['getMeetings', { handler: getMeetings, methods: both, bodies: form }],
  ['getSessions', { handler: getSessions, methods: both, bodies: form }],
  ['end', { handler: end, methods: both, bodies: form }],
  ['getRecordings', { handler: getRecordings, methods: both, bodies: form }],
  ['publishRecordings', { handler: publishRecordings, methods: ['GET'], bodies: [] }],
  ['deleteRecordings', { handler: deleteRecordings, methods: ['GET'], bodies: [] }],
  ['updateRecordings', { handler: updateRecordings, methods: both, bodies: form }],
  ['hooks/create', { handler: createHook, methods: both, bodies: form }],
  ['hooks/list', { handler: listHooks, methods: both, bodies: form }],
  ['hooks/destroy', { handler: destroyHook, methods: both, bodies: form }],
]);

interface CallInput {
  parameters: Map<string, string>;
  xml: string | null;
  hasBody: boolean;
  mediaType: string | null;
}

const noAnswer: Answer = { status: 0, headers: {}, body: '' };

/** Content type and checksum first, then what the call itself has to say. */
function perform(world: World, request: SandboxRequest, name: string, input: CallInput): Answer {
  if (name === '') return root();
  const declaration = calls.get(name);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  if (!declaration?.methods.includes(method)) return failed(refusal('unsupportedRequest'));
  const call: ApiCall = {
    world,
    origin: request.origin,
    parameters: input.parameters,
    xml: input.xml,
  };
  let isTrusted = false;
  try {
    if (method === 'POST' && input.hasBody && !declaration.bodies.includes(input.mediaType ?? '')) {
      throw refusal('contentType');
    }
    const checksum = input.parameters.get('checksum');
    verifyChecksum({ call: name, rawQuery: request.query, checksum }, world.secrets);
    isTrusted = true;
    return declaration.handler(call);
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    if (name === 'join') return refuseJoin(call, error, isTrusted);
    return failed(name.startsWith('hooks/') && error.key === 'checksumError' ? refusal('hookChecksum') : error);
  }
}

function root(): Answer {
  return success({
    version: '2.0',
    apiVersion: '2.0',
    bbbVersion: '',
    html5PluginSdkVersion: '',
    graphqlWebsocketUrl: '',
    graphqlApiUrl: '',
  });
}

async function readInput({ message, query }: SandboxRequest): Promise<CallInput> {
  const body = await readBody(message);
  const type = mediaType(message.headers);
  const parameters = decodeQuery(query);
  const input = { parameters, xml: null, hasBody: body.length > 0, mediaType: type };
  if (body.length === 0 || type === null) return input;
  if (xml.includes(type)) return { ...input, xml: body.toString('utf8') };
  for (const [name, value] of await readFields(type, message.headers['content-type'] ?? '', body)) {
    if (!parameters.has(name)) parameters.set(name, value);
  }
  return input;
}

async function readFields(type: string, contentType: string, body: Buffer) {
  if (type === 'application/x-www-form-urlencoded') return readForm(body);
  if (type !== 'multipart/form-data') return [];
  return readMultipart(contentType, body).catch(() => []);
}

function logCall(
  world: World,
  request: SandboxRequest,
  call: string,
  input: CallInput,
  fault: Fault | null,
  answer: Answer,
): void {
  const { checksum: _, ...parameters } = Object.fromEntries(input.parameters);
  const parts = request.query.split('&').filter((part) => !part.startsWith('checksum='));
  world.calls.add({
    at: world.clock.now(),
    call,
    method: request.method,
    query: parts.join('&'),
    parameters,
    status: answer === noAnswer ? null : answer.status,
    returncode: /<returncode>(\w+)</.exec(answer.body)?.[1] ?? null,
    messageKey: /<messageKey>([^<]+)</.exec(answer.body)?.[1] ?? null,
    fault: fault?.kind ?? null,
  });
}
