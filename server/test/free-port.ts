import { once } from 'node:events';
import { createServer } from 'node:net';

// Below the range from which systems take the ports of outgoing connections and of servers that listen on port 0.
const [first, count] = [12_000, 20_000];

/** A port that no process listens on, for a process that must be told its port before it starts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * count);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    } finally {
      server.close();
    }
  }
}
