import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../../dependencies.ts';
import { actorOf } from '../../../platform/http/respond.ts';
import { basePath, secretPageOptions, tokenOf } from '../../../platform/page/page-options.ts';
import { sendSecretPage } from '../../../platform/page/send-page.ts';
import { textFrameFor } from '../../../platform/page/text-frame.ts';
import { invalidUnsubscribePage, unsubscribedPage, unsubscribePage } from './page-unsubscribe.tsx';
import { readUnsubscribeToken } from './unsubscribe-link.ts';
import { unsubscribe } from './unsubscribe.ts';

/** GET shows a button, so that link scanners do not unsubscribe anyone. POST unsubscribes (RFC 8058). */
export function registerUnsubscribePages(server: FastifyInstance, dependencies: Dependencies): void {
  const options = secretPageOptions(dependencies, 'unsubscribe page');
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
  const action = `${basePath(dependencies)}/unsubscribe/${token}`;
  return sendSecretPage(reply, 200, unsubscribePage(chrome, link.kind, action));
}

async function submit(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const chrome = textFrameFor(dependencies, request);
  const link = readUnsubscribeToken(dependencies, tokenOf(request));
  if (!link) return sendSecretPage(reply, 404, invalidUnsubscribePage(chrome));
  await unsubscribe(dependencies, actorOf(null, request), link);
  return sendSecretPage(reply, 200, unsubscribedPage(chrome, link.kind));
}
