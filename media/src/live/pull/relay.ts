import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { connectAllowed, resolveAllowed, type Target } from '../../network/address-rule.ts';
import { createCertificate } from './certificate.ts';

/** Connects ffmpeg to a source. ffmpeg neither resolves names nor chooses addresses itself, against SSRF. */
export interface Relay {
  readonly url: string;
  /** Which protocols ffmpeg may use. */
  readonly protocols: string;
  readonly options: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Why the last connection to the source failed. */
  readonly error: Error | null;
  close(): void;
}

const defaultPorts: Readonly<Record<string, number>> = { 'rtmp:': 1935, 'rtmps:': 443, 'rtsp:': 554 };
/** The formats that ffmpeg may open for HLS. */
const hlsFormats = 'hls,mpegts,mov,aac,mp3,webvtt';
const maxRequestLength = 8192;
const idleMs = 30_000;
const maxConnections = 16;

/** @throws AddressRefused for a private address that is not allowed */
export async function openRelay(sourceUrl: string, arePrivateAddressesAllowed: boolean): Promise<Relay> {
  const url = new URL(sourceUrl);
  let error: Error | null = null;
  if (url.protocol === 'srt:') {
    // ffmpeg sends datagrams to the checked address.
    const address = await resolveAllowed(url.hostname, arePrivateAddressesAllowed);
    url.hostname = address.includes(':') ? `[${address}]` : address;
    url.searchParams.set('mode', 'caller');
    const options = ['-analyzeduration', '2000000', '-format_whitelist', 'mpegts'];
    return { url: url.href, protocols: 'srt', options, env: {}, error: null, close: () => {} };
  }
  if (url.protocol === 'https:') {
    const certificate = await createCertificate();
    const server = await listen((socket) =>
      tunnel(socket, {
        arePrivateAddressesAllowed,
        certificate,
        onError: (cause) => (error = cause),
      }),
    );
    const proxy = `http://127.0.0.1:${portOf(server)}`;
    // A playlist can name other hosts: each connection goes through the tunnel, which checks it.
    return {
      url: url.href,
      protocols: 'https,tls,tcp,httpproxy,crypto',
      options: ['-http_proxy', proxy, '-rw_timeout', '15000000', '-format_whitelist', hlsFormats, '-f', 'hls'],
      env: { http_proxy: proxy },
      get error() {
        return error;
      },
      close: () => server.close(),
    };
  }
  const isRtsp = url.protocol === 'rtsp:';
  const port = url.port === '' ? (defaultPorts[url.protocol] ?? 0) : Number(url.port);
  const target: Target = { host: url.hostname, port, isTls: url.protocol === 'rtmps:' };
  await resolveAllowed(url.hostname, arePrivateAddressesAllowed);
  const server = await listen(
    (socket) =>
      void forward(socket, target, { arePrivateAddressesAllowed, isRtsp, onError: (cause) => (error = cause) }),
  );
  const tcUrl = `${url.protocol}//${url.host}/${url.pathname.split('/')[1] ?? ''}`;
  const localUrl = sourceUrl.replace(
    /^[a-z]+:\/\/((?:[^/@]*@)?)[^/]*/i,
    `${isRtsp ? 'rtsp' : 'rtmp'}://$1127.0.0.1:${portOf(server)}`,
  );
  return {
    url: localUrl,
    protocols: isRtsp ? 'rtsp,rtp,tcp' : 'rtmp,tcp',
    options: isRtsp
      ? ['-rtsp_transport', 'tcp', '-format_whitelist', 'rtsp']
      : ['-rw_timeout', '15000000', '-rtmp_live', 'live', '-rtmp_tcurl', tcUrl, '-format_whitelist', 'flv,live_flv'],
    env: {},
    get error() {
      return error;
    },
    close: () => server.close(),
  };
}

async function listen(serve: (socket: Socket) => void): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.setTimeout(idleMs, () => socket.destroy());
    serve(socket);
  });
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function connectBoth(socket: Socket, remote: Socket): void {
  remote.on('error', () => {});
  remote.on('close', () => socket.destroy());
  socket.on('close', () => remote.destroy());
  socket.pipe(remote);
  remote.pipe(socket);
}

interface RelayRules {
  readonly arePrivateAddressesAllowed: boolean;
  readonly onError: (cause: Error) => void;
}

async function forward(
  socket: Socket,
  target: Target,
  { arePrivateAddressesAllowed, isRtsp, onError }: RelayRules & { readonly isRtsp: boolean },
): Promise<void> {
  try {
    const remote = await connectAllowed(target, arePrivateAddressesAllowed);
    if (isRtsp) refuseRedirects(socket, remote);
    connectBoth(socket, remote);
  } catch (error) {
    onError(error as Error);
    socket.destroy();
  }
}

/** Before playback, ffmpeg would follow redirects of an RTSP server to any address. */
function refuseRedirects(socket: Socket, remote: Socket): void {
  let isPlaying = false;
  let lastText = '';
  socket.on('data', (bytes: Buffer) => {
    isPlaying ||= bytes.toString('latin1').startsWith('PLAY ');
  });
  remote.on('data', (bytes: Buffer) => {
    if (isPlaying) return;
    const text = lastText + bytes.toString('latin1');
    lastText = text.slice(-16);
    if (!/RTSP\/1\.\d 3\d\d/.test(text)) return;
    socket.destroy();
    remote.destroy();
  });
}

interface TunnelRules extends RelayRules {
  /** For the connection with ffmpeg, which does not leave this computer. */
  readonly certificate: { readonly cert: string; readonly key: string };
}

/**
 * An HTTP CONNECT proxy that only connects to checked addresses. It verifies the certificate of the server, and encrypts
 * again for ffmpeg, which does not verify the certificates of segments.
 */
function tunnel(socket: Socket, { arePrivateAddressesAllowed, certificate, onError }: TunnelRules): void {
  let request = '';
  const onData = (bytes: Buffer) => {
    request += bytes.toString('latin1');
    if (request.length > maxRequestLength) return void socket.destroy();
    if (!request.includes('\r\n\r\n')) return;
    socket.removeListener('data', onData);
    socket.pause();
    const [, host = '', port = ''] = /^CONNECT (\[[0-9a-fA-F:.]+\]|[^\s:]+):(\d{1,5}) HTTP/.exec(request) ?? [];
    if (host === '') return void socket.destroy();
    connectAllowed({ host, port: Number(port), isTls: true }, arePrivateAddressesAllowed).then(
      (remote) => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        const ffmpegSocket = new TLSSocket(socket, { isServer: true, ...certificate });
        ffmpegSocket.on('error', () => remote.destroy());
        connectBoth(ffmpegSocket, remote);
      },
      (error: Error) => {
        onError(error);
        socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      },
    );
  };
  socket.on('data', onData);
}
