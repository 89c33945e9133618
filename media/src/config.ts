import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { readStorage } from './storage/storage-url.ts';
import type { S3Target } from './storage/s3.ts';

export interface MediaConfig {
  readonly secret: string;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly rtmpPort: number;
  readonly dataDir: string;
  /** PEM files, for RTMPS; null for none. */
  readonly rtmpsTls: { readonly certPath: string; readonly keyPath: string; readonly port: number } | null;
  /** The address for browsers in WebRTC; null for the address that the server listens on. */
  readonly webRtcAddress: string | null;
  /** The first and last port for WebRTC; null for any free port. */
  readonly webRtcPorts: readonly [number, number] | null;
  /** The directory of videos and recordings, until they are moved to object storage. */
  readonly mediaDir: string;
  /** The object storage of videos and recordings; null if they stay on the disk. */
  readonly s3: S3Target | null;
  /** The address for browsers; null for the address that the server listens on. */
  readonly publicUrl: string | null;
  /** The address for encoders; null for the address that the server listens on. */
  readonly rtmpUrl: string | null;
  /** How many transcodes run at the same time. */
  readonly transcodes: number;
  /** The bytes that stay free on the disk. */
  readonly reserveBytes: number;
  readonly ffmpegPath: string | null;
  readonly ffprobePath: string | null;
}

/** @returns the configuration, or one sentence for each invalid environment variable */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
): { readonly config: MediaConfig } | { readonly faults: readonly string[] } {
  const faults: string[] = [];
  const read = (name: string) => env[name]?.trim() || null;
  const readWhole = (name: string, fallback: number, [least, most]: readonly [number, number]) => {
    const text = read(name);
    if (text === null) return fallback;
    const value = /^\d{1,6}$/.test(text) ? Number(text) : -1;
    if (value < least || value > most) faults.push(`${name} must be a whole number from ${least} to ${most}.`);
    return value;
  };
  const readUrl = (name: string, protocols: readonly string[]) => {
    const text = read(name)?.replace(/\/+$/, '') ?? null;
    if (text !== null && !protocols.some((protocol) => text.startsWith(`${protocol}://`)))
      faults.push(`${name} must begin with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}.`);
    return text;
  };
  const readPortRange = (name: string): readonly [number, number] | null => {
    const text = read(name);
    if (text === null) return null;
    const [, first = 0, last = 0] = (/^(\d{1,5})-(\d{1,5})$/.exec(text) ?? []).map(Number);
    if (first < 1024 || last > 65_535 || first >= last)
      faults.push(`${name} must be two ports from 1024 to 65535, such as 40000-40100.`);
    return [first, last];
  };
  const readTls = (): MediaConfig['rtmpsTls'] => {
    const [certPath, keyPath] = [read('FOYER_MEDIA_TLS_CERT'), read('FOYER_MEDIA_TLS_KEY')];
    if ((certPath === null) !== (keyPath === null))
      faults.push('FOYER_MEDIA_TLS_CERT and FOYER_MEDIA_TLS_KEY must be set together.');
    const port = readWhole('FOYER_MEDIA_RTMPS_PORT', 1936, [0, 65_535]);
    return certPath === null || keyPath === null ? null : { certPath, keyPath, port };
  };
  const webRtcAddress = read('FOYER_MEDIA_WEBRTC_ADDRESS');
  if (webRtcAddress !== null && isIP(webRtcAddress) === 0)
    faults.push('FOYER_MEDIA_WEBRTC_ADDRESS must be an IP address.');
  const secret = read('FOYER_MEDIA_SECRET') ?? '';
  if (secret.length < 16) faults.push('FOYER_MEDIA_SECRET must have at least 16 characters.');
  const dataDir = resolve(read('FOYER_MEDIA_DATA_DIR') ?? 'data/media');
  const storage = readStorage(read);
  if (typeof storage === 'string') faults.push(storage);
  const config: MediaConfig = {
    secret,
    host: read('FOYER_MEDIA_HOST') ?? '127.0.0.1',
    port: readWhole('FOYER_MEDIA_PORT', 8070, [0, 65_535]),
    rtmpPort: readWhole('FOYER_MEDIA_RTMP_PORT', 1935, [0, 65_535]),
    rtmpsTls: readTls(),
    webRtcAddress,
    webRtcPorts: readPortRange('FOYER_MEDIA_WEBRTC_PORTS'),
    dataDir,
    mediaDir: (typeof storage === 'object' && storage.directory) || dataDir,
    s3: typeof storage === 'object' ? storage.s3 : null,
    publicUrl: readUrl('FOYER_MEDIA_PUBLIC_URL', ['https', 'http']),
    rtmpUrl: readUrl('FOYER_MEDIA_RTMP_URL', ['rtmps', 'rtmp']),
    transcodes: readWhole('FOYER_MEDIA_TRANSCODES', 1, [1, 64]),
    reserveBytes: readWhole('FOYER_MEDIA_DISK_RESERVE_GB', 1, [0, 100_000]) * 1e9,
    ffmpegPath: read('FOYER_FFMPEG'),
    ffprobePath: read('FOYER_FFPROBE'),
  };
  return faults.length > 0 ? { faults } : { config };
}
