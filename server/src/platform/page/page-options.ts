import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeFailure } from '../http/failures/respond-to-failure.ts';
import { brokenPage } from './page-broken.tsx';
import { sendSecretPage } from './send-page.ts';
import { type FrameSources, textFrameFor } from './text-frame.ts';

/** The options of a route whose path has a secret and whose answers are pages. @param name for the log */
export function secretPageOptions(sources: FrameSources, name: string) {
  return { config: { hasSecretPath: true }, errorHandler: brokenPageHandler(sources, name) };
}

/** Answers a failure with a page. @param name of the page, for the log */
export function brokenPageHandler(sources: FrameSources, name: string) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const { status } = describeFailure(error);
    if (status >= 500) request.log.error({ err: error }, `${name} failed`);
    void sendSecretPage(reply, status, brokenPage(textFrameFor(sources, request), request.id));
  };
}

/** The secret in the path of a page. */
export function tokenOf(request: FastifyRequest): string {
  return (request.params as { token?: string }).token ?? '';
}

/** The path of the platform, without a slash at the end. */
export function basePath({ publicUrl }: Pick<FrameSources, 'publicUrl'>): string {
  return new URL(publicUrl()).pathname.replace(/\/+$/, '');
}
