import type { FlvTag } from './media/flv.ts';
import type { UnusableInput } from './media/frame.ts';

export type InputProtocol = 'rtmp' | 'whip' | 'pull';

/** A connected encoder, for which its protocol pushes frames. */
export interface EncoderInput {
  /** @throws UnusableInput where the stream cannot be delivered */
  push(tag: FlvTag): void;
  /** The encoder has gone; it may come back. */
  end(): void;
  /** The encoder sends what cannot be delivered: the session ends. */
  fail(error: UnusableInput): void;
}

export interface Connection {
  readonly protocol: InputProtocol;
  /** Disconnects the encoder. */
  close(): void;
}

/** Asks whether the encoder may begin. @throws UnusableInput where it may not */
export type OpenInput = (streamKey: string, address: string, connection: Connection) => Promise<EncoderInput>;
