import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../../dependencies.ts';
import { Failure } from '../../../platform/failures.ts';
import { parseIdentifier, type Uuid } from '../../../platform/identity/identifier.ts';
import { messagePage } from '../../../platform/page/message-page.tsx';
import { secretPageOptions } from '../../../platform/page/page-options.ts';
import { sendSecretPage } from '../../../platform/page/send-page.ts';
import { textFrameFor } from '../../../platform/page/text-frame.ts';
import type { Texts } from '../../../platform/text/catalogues.ts';
import { verifyLink } from '../../../platform/crypto/signed-link.ts';
import { appearanceOf, withAppearance } from '../../customers/index.ts';
import { findWatchable } from './find-watchable.ts';
import { playbackPath, textTrackPath, type Viewer, viewers, visitorPath } from './playback-path.ts';
import { countPlay, customerOf, type RecordingRow } from '../store.ts';
import { readTextTracks } from './text-tracks.ts';
import { addressOf } from './watch-address.ts';

/** The pages that links to recordings open. They redirect to the provider. */
export function registerPlaybackPages(server: FastifyInstance, dependencies: Dependencies): void {
  const options = secretPageOptions(dependencies, 'playback page');
  server.get('/recordings/:recording_id/playback/:type', options, (request, reply) => {
    const { type = '' } = request.params as { type?: string };
    return redirectToProvider(dependencies, request, reply, {
      pathOf: (id, viewer) => (viewer === null ? playbackPath(id, type) : visitorPath(id, type, viewer)),
      async findAddress(recording) {
        const address = await addressOf(dependencies, recording, type);
        if (address !== null && request.method === 'GET')
          await countPlay(dependencies.db, recording.id, dependencies.clock.now());
        return address;
      },
    });
  });
  server.get('/recordings/:recording_id/text-tracks/:kind/:language', options, (request, reply) => {
    const { kind = '', language = '' } = request.params as { kind?: string; language?: string };
    return redirectToProvider(dependencies, request, reply, {
      pathOf: (id) => textTrackPath(id, kind, language),
      async findAddress(recording) {
        const tracks = await readTextTracks(dependencies, recording);
        return tracks.find((track) => track.kind === kind && track.language === language)?.url ?? null;
      },
    });
  });
}

/** The reason why a link to a recording does not work. */
type WatchRefusal = keyof Texts['recording'];

interface LinkTarget {
  /** The path that the link must sign. */
  readonly pathOf: (recordingId: Uuid, viewer: Viewer | null) => string;
  /** The current address on the provider; null if there is none. @throws 503 */
  readonly findAddress: (recording: RecordingRow) => Promise<string | null>;
}

const statuses: Readonly<Record<WatchRefusal, number>> = {
  forged: 404,
  expired: 410,
  gone: 404,
  closed: 403,
  unavailable: 503,
};

async function redirectToProvider(
  dependencies: Dependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  target: LinkTarget,
): Promise<FastifyReply> {
  const outcome = await resolveLink(dependencies, request, target);
  if ('address' in outcome) {
    return reply
      .status(302)
      .headers({
        location: new URL(outcome.address).href,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex, nofollow',
      })
      .send();
  }
  const status = statuses[outcome.refusal];
  if (status === 503) reply.header('retry-after', '60');
  const platformChrome = textFrameFor(dependencies, request);
  const chrome =
    outcome.customerId === null
      ? platformChrome
      : withAppearance(platformChrome, await appearanceOf(dependencies.db, outcome.customerId));
  return sendSecretPage(reply, status, messagePage(chrome, platformChrome.texts.recording[outcome.refusal]));
}

/** Checks the signature before any database query. */
async function resolveLink(
  dependencies: Dependencies,
  request: FastifyRequest,
  { pathOf, findAddress }: LinkTarget,
): Promise<{ readonly address: string } | { readonly refusal: WatchRefusal; readonly customerId: Uuid | null }> {
  const { db, linkKey, clock } = dependencies;
  const id = parseIdentifier('rec', (request.params as { recording_id?: string }).recording_id ?? '');
  if (id === null) return { refusal: 'forged', customerId: null };
  const terms = { key: linkKey, nowMs: clock.nowMs() };
  const query = request.query as Record<string, unknown>;
  const viewer = viewers.find((candidate) => candidate === query['as']) ?? null;
  const verdict = verifyLink(terms, pathOf(id, viewer), query);
  if (verdict === 'forged') return { refusal: verdict, customerId: null };
  const customerId = await customerOf(db, id);
  if (verdict === 'expired') return { refusal: verdict, customerId };
  const watchable = await findWatchable(dependencies, id, viewer);
  if ('refusal' in watchable) return { refusal: watchable.refusal, customerId };
  try {
    const address = await findAddress(watchable.recording);
    return address === null ? { refusal: 'gone', customerId } : { address };
  } catch (error) {
    if (error instanceof Failure && error.code === 'provider-unavailable')
      return { refusal: 'unavailable', customerId };
    throw error;
  }
}
