import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Forwards connections, for tests in which a server is unreachable for some clients. */
export interface TcpProxy {
  readonly port: number;
  /** Closes all connections, and refuses new ones until `resume`. */
  interrupt(): void;
  resume(): Promise<void>;
}

/** @param targetPort the port of the server, which runs on this machine */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1');
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  async function listen(port: number): Promise<number> {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }
  const port = await listen(0);
  return {
    port,
    interrupt() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
    async resume() {
      await listen(port);
    },
  };
}
