import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../../dependencies.ts';
import { describeFailure } from '../../../platform/http/failures/respond-to-failure.ts';
import { actorOf } from '../../../platform/http/respond.ts';
import { brokenPage } from '../../../platform/page/page-broken.tsx';
import { sendSecretPage } from '../../../platform/page/send-page.ts';
import { textFrameFor } from '../../../platform/page/text-frame.ts';
import { invalidUnsubscribePage, unsubscribedPage, unsubscribePage } from './page-unsubscribe.tsx';
import { readUnsubscribeToken } from './unsubscribe-link.ts';
import { unsubscribe } from './unsubscribe.ts';

/** GET shows a button, so that link scanners do not unsubscribe anyone. POST unsubscribes at once (RFC 8058). */
export function registerUnsubscribePages(server: FastifyInstance, dependencies: Dependencies): void {
  const options = {
    config: { hasSecretPath: true },
    errorHandler: (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      const { status } = describeFailure(error);
      if (status >= 500) request.log.error({ err: error }, 'unsubscribe page failed');
      void sendSecretPage(reply, status, brokenPage(textFrameFor(dependencies, request), request.id));
    },
  };
  void server.register(async (scope) => {
    // Mail programs also send multipart bodies. RFC 8058 fixes the content, so the body is not read.
    scope.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, (_request, _body, done) => done(null, {}));
    scope.get('/unsubscribe/:token', options, (request, reply) => show(dependencies, request, reply));
    scope.post('/unsubscribe/:token', options, (request, reply) => submit(dependencies, request, reply));
  });
}

async function show(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const chrome = textFrameFor(dependencies, request);
  const token = tokenOf(request);
  const link = readUnsubscribeToken(dependencies, token);
  if (!link) return sendSecretPage(reply, 404, invalidUnsubscribePage(chrome));
  const action = `${new URL(dependencies.publicUrl()).pathname.replace(/\/+$/, '')}/unsubscribe/${token}`;
  return sendSecretPage(reply, 200, unsubscribePage(chrome, link.kind, action));
}

async function submit(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const chrome = textFrameFor(dependencies, request);
  const link = readUnsubscribeToken(dependencies, tokenOf(request));
  if (!link) return sendSecretPage(reply, 404, invalidUnsubscribePage(chrome));
  await unsubscribe(dependencies, actorOf(null, request), link);
  return sendSecretPage(reply, 200, unsubscribedPage(chrome, link.kind));
}

function tokenOf(request: FastifyRequest): string {
  return (request.params as { token?: string }).token ?? '';
}
