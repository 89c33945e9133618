import type { Readable } from 'node:stream';

const maxBytes = 1024;
const waitMs = 1000;

/** Reads the first 1,024 bytes of a response, for at most one second. The rest is not read. */
export async function readStart(body: Readable): Promise<string> {
  // Destroying the body before its end emits an error.
  body.on('error', () => {});
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => body.destroy(), waitMs);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= maxBytes) break;
    }
  } catch {
    // The outcome depends on the status, even if the body is incomplete.
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBytes));
  // PostgreSQL does not store the character 0.
  return text.replaceAll('\0', '�');
}
