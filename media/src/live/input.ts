import type { FlvTag } from './media/flv.ts';
import type { UnusableInput } from './media/frame.ts';

export type InputProtocol = 'rtmp' | 'whip' | 'pull';

/** The input of a connected encoder. The server of its protocol pushes the frames. */
export interface EncoderInput {
  /** @throws UnusableInput if the stream cannot be delivered */
  push(tag: FlvTag): void;
  /** The encoder has disconnected; it may return. */
  end(): void;
  /** The input cannot be delivered, so the session ends. */
  fail(error: UnusableInput): void;
}

export interface Connection {
  readonly protocol: InputProtocol;
  /** Disconnects the encoder. */
  close(): void;
}

/** Asks the platform whether to accept the encoder. @throws UnusableInput if it is rejected */
export type OpenInput = (streamKey: string, address: string, connection: Connection) => Promise<EncoderInput>;
