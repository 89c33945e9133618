import { randomBytes } from 'node:crypto';

const version = 3;
const blockBytes = 1536;

/** C0 and C1 of a client (RTMP 1.0, 5.2). */
export const clientGreetingBytes = 1 + blockBytes;
/** C2 or S2. */
export const handshakeBytes = blockBytes;
/** S0, S1 and S2 of a server. */
export const serverGreetingBytes = 1 + 2 * blockBytes;

/** S0, S1 and S2. @throws Error for another version */
export function answerGreeting(greeting: Buffer): Buffer {
  requireVersion(greeting);
  return Buffer.concat([Buffer.from([version]), createRandomBlock(), greeting.subarray(1, clientGreetingBytes)]);
}

/** C0 and C1. */
export function createGreeting(): Buffer {
  return Buffer.concat([Buffer.from([version]), createRandomBlock()]);
}

/** C2. @throws Error for another version */
export function confirmGreeting(answer: Buffer): Buffer {
  requireVersion(answer);
  return Buffer.from(answer.subarray(1, 1 + blockBytes));
}

function requireVersion(bytes: Buffer): void {
  if (bytes[0] !== version) throw new Error('This is not RTMP.');
}

/** A time of 0, four zeros, and random bytes. */
function createRandomBlock(): Buffer {
  return Buffer.concat([Buffer.alloc(8), randomBytes(blockBytes - 8)]);
}
