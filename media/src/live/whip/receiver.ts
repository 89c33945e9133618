import { isIPv6 } from 'node:net';
import { RTCPeerConnection, type RTCRtpTransceiver, type RtpPacket, useH264, useOPUS, useVP8 } from 'werift';
import type { VideoTrack } from './matroska.ts';
import type { Converter, EncodedFrame } from './converter.ts';
import { avcConfigOf, createH264Depacketizer, type Depacketizer } from './h264-packets.ts';
import type { Offer } from './offer.ts';
import { createRtpClock, type RtpTrackClock } from './rtp-clock.ts';
import { createReorderBuffer } from './reorder-buffer.ts';
import { createVp8Depacketizer } from './vp8-packets.ts';

export interface WebRtcAddress {
  /** Where datagrams are received; `0.0.0.0` for all interfaces. */
  readonly host: string;
  /** The address for browsers, if it differs (NAT); null otherwise. */
  readonly publicAddress: string | null;
  readonly ports: readonly [number, number] | null;
}

export interface Receiver {
  /** @returns the SDP answer */
  createAnswer(): Promise<string>;
  close(): void;
}

export interface ReceiverOptions {
  readonly converter: Converter;
  /** Called when the browser has disconnected or could not connect. */
  onDisconnect(): void;
}

const connectTimeoutMs = 10_000;
const maxIdleMs = 10_000;
const keyFrameIntervalMs = 2000;

/** Receives the media of one browser by WebRTC. */
export function createReceiver(
  offer: Offer,
  { host, publicAddress, ports }: WebRtcAddress,
  { converter, onDisconnect }: ReceiverOptions,
): Receiver {
  const isAnyHost = host === '0.0.0.0' || host === '::';
  const peer = new RTCPeerConnection({
    // H.264 is passed through; VP8 has to be re-encoded.
    codecs: { audio: [useOPUS()], video: [offer.hasH264 ? useH264() : useVP8()] },
    // transport-cc is disabled: Chromium reduces its bitrate to almost nothing on the feedback of werift 0.24.
    headerExtensions: { video: [], audio: [] },
    iceLite: true,
    iceServers: [],
    iceUseIpv6: isIPv6(host),
    iceUseIpv4: !isIPv6(host) || isAnyHost,
    bundlePolicy: 'max-bundle',
    ...(ports && { icePortRange: [...ports] as [number, number] }),
    ...(!isAnyHost && {
      iceInterfaceAddresses: isIPv6(host) ? { udp6: host } : { udp4: host },
      iceAdditionalHostAddresses: [host],
    }),
  });
  const clock = createRtpClock();
  let isClosed = false;
  let lastPacketAtMs = Date.now();
  let isConnected = false;
  const startedAtMs = Date.now();

  function handleDisconnect(): void {
    if (isClosed) return;
    close();
    onDisconnect();
  }

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    clearInterval(timer);
    converter.close();
    void peer.close().catch(() => {});
  }

  const keyFrameRequesters = new Set<() => void>();
  let requestedAtMs = 0;
  function requestKeyFrame(): void {
    requestedAtMs = Date.now();
    for (const requestFrom of keyFrameRequesters) requestFrom();
  }

  const timer = setInterval(() => {
    const now = Date.now();
    if (!isConnected ? now - startedAtMs > connectTimeoutMs : now - lastPacketAtMs > maxIdleMs)
      return handleDisconnect();
    // Each segment begins with a key frame.
    if (isConnected && now - requestedAtMs >= keyFrameIntervalMs) requestKeyFrame();
  }, 250);

  peer.connectionStateChange.subscribe((state) => {
    if (state === 'connected') {
      isConnected = true;
      lastPacketAtMs = Date.now();
    }
    if (state === 'closed' || state === 'failed' || state === 'disconnected') handleDisconnect();
  });
  peer.onRemoteTransceiverAdded.subscribe((transceiver) => {
    transceiver.setDirection('recvonly');
    transceiver.onTrack.subscribe((track) => {
      const handlePacket = track.kind === 'video' ? createVideoHandler(transceiver) : createSoundHandler(transceiver);
      track.onReceiveRtp.subscribe((packet) => {
        lastPacketAtMs = Date.now();
        if (!isClosed) handlePacket(packet);
      });
      if (track.kind === 'video' && track.ssrc !== undefined) {
        const { ssrc } = track;
        keyFrameRequesters.add(() => void transceiver.receiver.sendRtcpPLI(ssrc).catch(() => {}));
        requestKeyFrame();
      }
    });
  });

  /** Adds a track to the clock. Sender reports of the browser set its time. */
  function createTrackClock({ receiver }: RTCRtpTransceiver, rate: number): RtpTrackClock {
    const track = clock.add(rate);
    receiver.onRtcp.subscribe((report) => {
      if (report.type === 200) track.report(report.senderInfo.ntpTimestamp, report.senderInfo.rtpTimestamp);
    });
    return track;
  }

  function createVideoHandler(transceiver: RTCRtpTransceiver): (packet: RtpPacket) => void {
    const trackClock = createTrackClock(transceiver, 90_000);
    const send = (track: VideoTrack, { timestamp, isKey, data }: EncodedFrame) =>
      converter.writeVideo(track, { timestamp: trackClock.timeOf(timestamp), isKey, data });
    const depacketizer = offer.hasH264
      ? createH264Frames(send)
      : createVp8Depacketizer((frame) => send({ codec: 'vp8' }, frame));
    const buffer = createReorderBuffer({
      onPacket: depacketizer.push.bind(depacketizer),
      onLoss() {
        depacketizer.reset();
        requestKeyFrame();
      },
    });
    return (packet) => buffer.push(mediaPacketOf(packet));
  }

  function createSoundHandler(transceiver: RTCRtpTransceiver): (packet: RtpPacket) => void {
    const trackClock = createTrackClock(transceiver, 48_000);
    const buffer = createReorderBuffer({
      onPacket({ timestamp, payload }) {
        if (payload.length > 0) converter.writeSound(trackClock.timeOf(timestamp), payload);
      },
      onLoss() {},
    });
    return (packet) => buffer.push(mediaPacketOf(packet));
  }

  return {
    async createAnswer() {
      try {
        await peer.setRemoteDescription({ type: 'offer', sdp: offer.sdp });
        await peer.setLocalDescription(await peer.createAnswer());
      } catch (error) {
        close();
        throw error;
      }
      return adaptAnswer(peer.localDescription?.sdp ?? '', { host: isAnyHost ? null : host, publicAddress });
    },
    close,
  };
}

function createH264Frames(
  send: (track: VideoTrack, frame: EncodedFrame) => void,
): Pick<Depacketizer<unknown>, 'push' | 'reset'> {
  let sps: Buffer | null = null;
  let pps: Buffer | null = null;
  return createH264Depacketizer((frame) => {
    sps = frame.sps ?? sps;
    pps = frame.pps ?? pps;
    if (sps && pps) send({ codec: 'h264', config: avcConfigOf(sps, pps) }, frame);
  });
}

function mediaPacketOf({ header, payload }: RtpPacket) {
  const { sequenceNumber: sequence, timestamp, marker: isMarked } = header;
  return { sequence, timestamp, isMarked, payload };
}

interface AnswerAddress {
  /** The only address that is bound; null for all. */
  readonly host: string | null;
  readonly publicAddress: string | null;
}

/** Keeps only the reachable candidates, with the public address, and raises the initial bitrate of Chromium. */
function adaptAnswer(sdp: string, { host, publicAddress }: AnswerAddress): string {
  return (
    sdp
      .split('\r\n')
      // Chromium would begin with 300 kbit/s and reach a good quality only after a minute.
      .map((line) => (/^a=fmtp:\d+ .*profile-level-id=/.test(line) ? `${line};x-google-start-bitrate=1500` : line))
      .filter((line) => !line.startsWith('a=candidate:') || host === null || line.split(' ')[4] === host)
      .map((line) => {
        if (!line.startsWith('a=candidate:') || publicAddress === null) return line;
        return line
          .split(' ')
          .map((word, index) => (index === 4 ? publicAddress : word))
          .join(' ');
      })
      .join('\r\n')
  );
}
