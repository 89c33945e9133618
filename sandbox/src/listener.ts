import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerCall } from './api/answer-call.ts';
import { serverGateway } from './api/gateway.ts';
import { answerPage } from './client/routes.ts';
import type { SandboxControl } from './control/control.ts';
import { answerControl } from './control/routes.ts';
import type { Outcome } from './faults.ts';
import { json, plainText, send, sendHalf, sendByteByByte } from './http/answer.ts';
import { BodyTooLarge } from './http/body.ts';
import { type SandboxRequest, readRequest } from './http/request.ts';
import { answerAdmin } from './scalelite/admin.ts';
import { serverPrefix } from './scalelite/balancer.ts';
import { balancerGateway } from './scalelite/gateway.ts';
import { refuseLongRequestLine } from './scalelite/web-server.ts';
import { runDueTasks, runDueTasksIfAny } from './world/ending.ts';
import type { World } from './world/world.ts';

/** `requiresSecret`: whether the control API requires a secret as bearer token. */
export function createListener(
  world: World,
  control: SandboxControl,
  { requiresSecret }: { requiresSecret: boolean },
): (message: IncomingMessage, response: ServerResponse) => void {
  const { balancer } = world;
  const gateway = balancer ? balancerGateway(balancer, world.secrets) : serverGateway(world.secrets);

  async function answer(request: SandboxRequest): Promise<Outcome> {
    runDueTasksIfAny(world);
    const tooLong = balancer && refuseLongRequestLine(request.message);
    if (tooLong) return tooLong;
    const { path } = request;
    if (path === apiPrefix) return answerCall(world, gateway, request, '');
    if (path.startsWith(`${apiPrefix}/`)) {
      return answerCall(world, gateway, request, path.slice(apiPrefix.length + 1));
    }
    if (balancer && path === `${serverPrefix}/join`) {
      return answerCall(world, serverGateway([balancer.serverSecret]), request, 'join');
    }
    if (balancer && path.startsWith(adminPrefix)) {
      return answerAdmin(world, balancer, request, path.slice(adminPrefix.length));
    }
    if (balancer && path === '/health_check') return plainText(200, 'success');
    if (path.startsWith(controlPrefix)) {
      if (requiresSecret && !holdsSecret(world, request)) {
        return json(401, { message: 'Send a secret of this sandbox as bearer token.' });
      }
      return answerControl(control, request, path.slice(controlPrefix.length));
    }
    return answerPage(world, request);
  }

  async function respond(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { localAddress = '127.0.0.1', localPort = 80 } = message.socket;
    const request = readRequest(message, `http://${localAddress}:${localPort}`);
    const outcome = await answer(request).catch((error: unknown) => {
      if (error instanceof BodyTooLarge) return plainText(413, error.message);
      world.logger.error({ err: error, path: request.path }, 'A request failed.');
      return plainText(500, 'Something went wrong in the sandbox.');
    });
    if (request.path.startsWith('/bigbluebutton/')) runDueTasksIfAny(world);
    else runDueTasks(world);
    if (outcome === 'hang') return;
    if (outcome === 'reset') message.socket.resetAndDestroy();
    else if (response.destroyed) return;
    else if (!('sending' in outcome)) send(response, outcome);
    else if (outcome.sending === 'half') sendHalf(response, outcome.answer);
    else sendByteByByte(response, outcome.answer);
  }

  return (message, response) => void respond(message, response);
}

const apiPrefix = '/bigbluebutton/api';
const adminPrefix = '/scalelite/api/';
const controlPrefix = '/sandbox/control/';

function holdsSecret(world: World, { message }: SandboxRequest): boolean {
  const received = Buffer.from(/^Bearer (.+)$/i.exec(message.headers.authorization ?? '')?.[1] ?? '');
  return world.secrets.some((secret) => {
    const bytes = Buffer.from(secret);
    return bytes.length === received.length && timingSafeEqual(bytes, received);
  });
}
