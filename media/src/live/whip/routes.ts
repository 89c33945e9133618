import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { readBody, Refusal, sendEmpty } from '../../http/answer.ts';
import { requireUuid } from '../../http/json-members.ts';
import { type Call, openRoute, type Route } from '../../http/route.ts';
import type { EncoderInput, OpenInput } from '../input.ts';
import { UnusableInput } from '../media/frame.ts';
import type { FlvTag } from '../media/flv.ts';
import { type Converter, createConverter, type ConverterPrograms } from './converter.ts';
import { readOffer } from './offer.ts';
import { createReceiver, type Receiver, type WebRtcAddress } from './receiver.ts';

export interface WhipServices {
  readonly open: OpenInput;
  readonly programs: ConverterPrograms;
  readonly address: WebRtcAddress;
}

export interface Whip {
  readonly routes: readonly Route[];
  close(): void;
}

interface Publication {
  readonly roomId: string;
  close(): void;
}

const maxOfferBytes = 64 * 1024;
const maxPublications = 200;
const paths = ['/whip/:room_id', '/whip/:room_id/:publication_id'];

/** Receives streams of browsers and encoders by WHIP (RFC 9725), with the same rules as RTMP. */
export function createWhip({ open, programs, address }: WhipServices): Whip {
  const publications = new Map<string, Publication>();

  async function publish({ request, response, params }: Call): Promise<void> {
    allowOrigins(response);
    const roomId = requireUuid(params['room_id'], 'room_id');
    const streamKey = bearerOf(request.headers.authorization);
    if (!/^application\/sdp\b/i.test(request.headers['content-type'] ?? ''))
      throw new Refusal(415, 'offer-damaged', 'The content type must be application/sdp.');
    const offer = readOffer((await readBody(request, maxOfferBytes)).toString('latin1'));
    if (!streamKey.startsWith(`${roomId.replaceAll('-', '')}_`)) throw wrongKey();
    if (publications.size >= maxPublications)
      throw new Refusal(
        503,
        'server-busy',
        'The media server cannot accept another broadcast at the moment. Try again later.',
      );
    const id = randomUUID();
    let input: EncoderInput | null = null;
    let converter: Converter | null = null;
    let receiver: Receiver | null = null;
    const disconnect = () => {
      publications.delete(id);
      (receiver ?? converter)?.close();
      input?.end();
    };
    // Counted before the platform is asked, so that parallel requests cannot exceed the maximum.
    publications.set(id, { roomId, close: disconnect });
    const opened = await open(streamKey, request.socket.remoteAddress ?? '', {
      protocol: 'whip',
      close: disconnect,
    }).catch((error: unknown) => {
      disconnect();
      throw error instanceof UnusableInput ? refusalOf(error) : error;
    });
    input = opened;
    if (!publications.has(id)) {
      disconnect();
      throw new Refusal(503, 'server-busy', 'The broadcast was ended while it was connecting. Try again.');
    }
    converter = createConverter(programs, (tag) => deliver(opened, tag, disconnect));
    try {
      receiver = createReceiver(offer, address, { converter, onDisconnect: disconnect });
      const answer = await receiver.createAnswer();
      if (response.destroyed) return disconnect();
      response.writeHead(201, {
        'content-type': 'application/sdp',
        location: `/whip/${roomId}/${id}`,
        etag: `"${id}"`,
        'cache-control': 'no-store',
      });
      response.end(answer);
    } catch {
      disconnect();
      throw new Refusal(400, 'offer-damaged', 'The SDP offer could not be answered.');
    }
  }

  function end({ response, params }: Call): void {
    allowOrigins(response);
    const publication = publications.get(params['publication_id'] ?? '');
    if (!publication || publication.roomId !== params['room_id'])
      throw new Refusal(404, 'not-found', 'This broadcast was not found. It may have ended.');
    publication.close();
    sendEmpty(response, 200);
  }

  return {
    routes: [
      openRoute('POST', '/whip/:room_id', publish),
      openRoute('DELETE', '/whip/:room_id/:publication_id', end),
      // The server learns the address of the browser from its connectivity checks, so it needs no candidates.
      openRoute('PATCH', '/whip/:room_id/:publication_id', ({ response }) => {
        allowOrigins(response);
        response.setHeader('allow', 'DELETE, OPTIONS');
        throw new Refusal(
          405,
          'method-not-allowed',
          'Trickle ICE is not supported: the answer contains all candidates.',
        );
      }),
      ...paths.map((path) =>
        openRoute('OPTIONS', path, ({ response }) => {
          allowOrigins(response);
          response.setHeader('access-control-allow-methods', 'POST, DELETE, PATCH, OPTIONS');
          response.setHeader('access-control-allow-headers', 'authorization, content-type, if-match');
          response.setHeader('access-control-max-age', '86400');
          response.setHeader('accept-post', 'application/sdp');
          sendEmpty(response);
        }),
      ),
    ],
    close() {
      for (const publication of publications.values()) publication.close();
    },
  };
}

function deliver(input: EncoderInput, tag: FlvTag, disconnect: () => void): void {
  try {
    input.push(tag);
  } catch (error) {
    if (error instanceof UnusableInput) input.fail(error);
    disconnect();
  }
}

function allowOrigins(response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', 'location, etag');
}

function bearerOf(header: string | undefined): string {
  const [, key] = /^Bearer +(\S{1,512})$/i.exec(header ?? '') ?? [];
  if (key === undefined) throw wrongKey();
  return key;
}

function wrongKey(): Refusal {
  return new Refusal(401, 'stream-key-wrong', 'The stream key is wrong. Copy it again from the room.');
}

const statuses: Readonly<Record<string, number>> = {
  'stream-key-wrong': 401,
  'stream-busy': 409,
  'too-many-attempts': 429,
  'platform-unavailable': 503,
};

function refusalOf({ code, message }: UnusableInput): Refusal {
  return new Refusal(statuses[code] ?? 403, code, message);
}
