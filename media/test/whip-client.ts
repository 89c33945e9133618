import { spawn } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { MediaStreamTrack, RTCPeerConnection, useH264, useOPUS, useVP8 } from 'werift';
import { locatePrograms } from '../src/ffmpeg/locate.ts';

export interface Broadcast {
  readonly status: number;
  readonly location: string;
  readonly answer: string;
  /** Stops without a message, like a crashed browser. */
  crash(): Promise<void>;
}

export interface BroadcastOptions {
  readonly codec?: 'h264' | 'vp8';
  readonly size?: string;
  /** Every nth packet is dropped; 0 drops none. */
  readonly dropEvery?: number;
}

const payloadTypes = { h264: 102, vp8: 96 };
const encoders = {
  h264: '-c:v libx264 -preset ultrafast -tune zerolatency -profile:v baseline -pix_fmt yuv420p -g 25',
  vp8: '-c:v libvpx -deadline realtime -cpu-used 8 -g 25 -b:v 400k',
};

/** Broadcasts test pictures like a browser: over WebRTC, with media from ffmpeg. */
export async function broadcast(
  url: string,
  key: string,
  { codec = 'h264', size = '320x180', dropEvery = 0 }: BroadcastOptions = {},
): Promise<Broadcast> {
  const peer = new RTCPeerConnection({
    codecs: { audio: [useOPUS({ payloadType: 111 })], video: [codec === 'h264' ? useH264() : useVP8()] },
    iceAdditionalHostAddresses: ['127.0.0.1'],
    iceServers: [],
  });
  const [video, audio] = [new MediaStreamTrack({ kind: 'video' }), new MediaStreamTrack({ kind: 'audio' })];
  peer.addTransceiver(video, { direction: 'sendonly' });
  peer.addTransceiver(audio, { direction: 'sendonly' });
  await peer.setLocalDescription(await peer.createOffer());
  const response = await fetch(url, {
    method: 'POST',
    body: peer.localDescription?.sdp ?? '',
    headers: { 'content-type': 'application/sdp', authorization: `Bearer ${key}` },
  });
  const answer = await response.text();
  if (response.status !== 201) {
    await peer.close();
    return { status: response.status, location: '', answer, crash: async () => {} };
  }
  await peer.setRemoteDescription({ type: 'answer', sdp: answer });
  if (peer.connectionState !== 'connected')
    await peer.connectionStateChange.watch((state) => state === 'connected', 10_000);
  let count = 0;
  const pictures = await receivePackets((packet) => {
    count += 1;
    if (dropEvery === 0 || count % dropEvery !== 0) video.writeRtp(packet);
  });
  const sounds = await receivePackets((packet) => audio.writeRtp(packet));
  const { path } = (await locatePrograms({ ffmpegPath: null, ffprobePath: null })).ffmpeg;
  const sources = `-v error -nostdin -re -f lavfi -i testsrc2=size=${size}:rate=25 -f lavfi -i sine=frequency=440:sample_rate=48000`;
  const out = (port: number, type: number) => `-payload_type ${type} -f rtp rtp://127.0.0.1:${port}?pkt_size=1100`;
  const args =
    `${sources} -map 0:v ${encoders[codec]} ${out(pictures.address().port, payloadTypes[codec])}` +
    ` -map 1:a -c:a libopus -ac 2 -b:a 64k ${out(sounds.address().port, 111)}`;
  const child = spawn(path, args.split(' '), { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'close');
  return {
    status: response.status,
    location: response.headers.get('location') ?? '',
    answer,
    async crash() {
      child.kill('SIGKILL');
      await ended;
      pictures.close();
      sounds.close();
      await peer.close();
    },
  };
}

async function receivePackets(onPacket: (packet: Buffer) => void): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.on('message', (packet) => onPacket(packet));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}
