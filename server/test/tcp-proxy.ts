import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';

/** A proxy between the server and its database that simulates network failures. */
export interface TcpProxy {
  /** @returns the connection string of the same database behind the proxy. */
  connectionStringFor(connectionString: string): string;
  /** Accepts connections and keeps them open, but forwards no data. */
  hang(): void;
  /** Forwards data again. Data that was held back is lost with its connection. */
  resume(): void;
  /** Breaks all connections, and refuses new ones until `resume`. */
  cut(): void;
  close(): Promise<void>;
}

export async function openTcpProxy(): Promise<TcpProxy> {
  let target: NetConnectOpts = { port: 0 };
  let state: 'passing' | 'hanging' | 'cut' = 'passing';
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const server: Server = createServer((client) => {
    track(client);
    if (state === 'cut') return void client.destroy();
    if (state === 'hanging') return void client.pause();
    const upstream = connect(target);
    track(upstream);
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const proxyPort = typeof address === 'object' && address !== null ? address.port : 0;
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    connectionStringFor(connectionString) {
      const url = new URL(connectionString);
      const host = decodeURIComponent(url.hostname);
      const port = Number(url.port);
      target = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
      url.host = `127.0.0.1:${proxyPort}`;
      return url.href;
    },
    hang() {
      state = 'hanging';
      for (const socket of sockets) socket.unpipe().pause();
    },
    resume() {
      if (state === 'hanging') breakAll();
      state = 'passing';
    },
    cut() {
      state = 'cut';
      breakAll();
    },
    async close() {
      breakAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
