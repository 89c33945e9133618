import type { LoggedCall } from '../call-log.ts';
import { type Outcome, applyFault } from '../faults.ts';
import type { Answer } from '../http/answer.ts';
import { type SandboxRequest, acceptsJson } from '../http/request.ts';
import type { World } from '../world/world.ts';
import type { ApiCall } from './request/call.ts';
import { verifyChecksum } from './request/checksum.ts';
import type { Gateway } from './gateway.ts';
import { refuseJoin } from './joining/join.ts';
import { type CallInput, readInput } from './request/read-input.ts';
import { ApiRefusal, refusal } from './request/refusals.ts';
import { failed, failedInJson } from './request/xml.ts';

/** Answers a request below the API's prefix. `name` is the path after it, empty for the prefix itself. */
export async function answerCall(
  world: World,
  gateway: Gateway,
  request: SandboxRequest,
  name: string,
): Promise<Outcome> {
  const call = name === '' ? 'root' : name;
  const fault = world.faults.take(call);
  const input = await readInput(request);
  const takesEffect = !fault || fault.applied;
  const answer = takesEffect ? perform(world, gateway, request, { name, input }) : noAnswer;
  world.calls.add(
    createLogEntry(request, { name: call, input }, answer, { at: world.clock.now(), fault: fault?.kind ?? null }),
  );
  return fault ? applyFault(fault, answer, AbortSignal.any([world.closing, world.faults.clearSignal(fault)])) : answer;
}

const noAnswer: Answer = { status: 0, headers: {}, body: '' };

/** The response of the web server when no application is running behind it. */
const notFoundPage: Answer = {
  status: 404,
  headers: { 'content-type': 'text/html' },
  body: '<html><head><title>404 Not Found</title></head><body><center><h1>404 Not Found</h1></center></body></html>',
};

/** The response if the caller does not accept JSON: Grails has no view for another format. */
const emptyNotFound: Answer = { status: 404, headers: {}, body: '' };

interface NamedCall {
  readonly name: string;
  readonly input: CallInput;
}

/** Checks content type and checksum, then runs the handler. */
function perform(world: World, gateway: Gateway, request: SandboxRequest, { name, input }: NamedCall): Answer {
  if (name === '') return gateway.root();
  if (name.startsWith('hooks/') && !world.hasHooks) return notFoundPage;
  const declaration = gateway.calls.get(name);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  if (!declaration?.methods.includes(method)) return failed(refusal('unsupportedRequest'));
  const call: ApiCall = {
    world,
    origin: request.origin,
    parameters: input.parameters,
    xml: input.xml,
    json: input.json,
    files: input.files,
  };
  if (declaration.isJson && !acceptsJson(request.message.headers.accept)) return emptyNotFound;
  let isTrusted = false;
  try {
    if (method === 'POST' && input.hasBody && !declaration.bodies.includes(input.mediaType ?? '')) {
      throw refusal('contentType');
    }
    const checksum = input.parameters.get('checksum');
    if (!declaration.isUnsigned) {
      verifyChecksum({ call: name, rawQuery: request.query, checksum }, gateway.secrets, gateway.algorithms);
    }
    isTrusted = true;
    return declaration.handler(call);
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    if (name === 'join' && gateway.redirectsRefusedJoins) return refuseJoin(call, error, isTrusted);
    if (declaration.isJson) return failedInJson(error);
    if (name.startsWith('hooks/') && error.key === 'checksumError') return failed(refusal('hookChecksum'));
    return failed(gateway.translateRefusal(error));
  }
}

function createLogEntry(
  request: SandboxRequest,
  { name, input }: NamedCall,
  answer: Answer,
  circumstances: Pick<LoggedCall, 'at' | 'fault'>,
): LoggedCall {
  const { checksum: _, ...parameters } = Object.fromEntries(input.parameters);
  const queryParts = request.query.split('&').filter((part) => !part.startsWith('checksum='));
  return {
    ...circumstances,
    call: name,
    method: request.method,
    query: queryParts.join('&'),
    parameters,
    status: answer === noAnswer ? null : answer.status,
    returncode: /<returncode>(\w+)</.exec(answer.body)?.[1] ?? null,
    messageKey: /<messageKey>([^<]+)</.exec(answer.body)?.[1] ?? null,
  };
}
