export interface Connection {
  readonly id: string;
  /** Replaces the picture while it is sent. */
  setPicture(track: MediaStreamTrack): Promise<void>;
  close(): void;
}

/** The platform or the media server refused the offer; the code names the reason. */
export class OfferRefused extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

export interface ConnectionOptions {
  readonly path: string;
  readonly picture: MediaStreamTrack;
  readonly sound: MediaStreamTrack;
  readonly maxKbps: number | null;
  /** Higher pictures are scaled down; null for any height. */
  readonly maxHeight: number | null;
  /** The connection was established and then lost. */
  onLost(): void;
}

const pictureKbps = 2500;
/** Sound and protocol overhead. */
const otherKbps = 160;
const minPictureKbps = 100;
const connectTimeoutMs = 15_000;
const gatherTimeoutMs = 2000;
const requestTimeoutMs = 20_000;
/** Short network failures end by themselves, so a disconnected peer has this time to connect again. */
const recoverMs = 3000;

/** Sends picture and sound by WebRTC. @throws OfferRefused */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const { path, picture, sound, maxKbps, maxHeight, onLost } = options;
  const peer = new RTCPeerConnection({ bundlePolicy: 'max-bundle' });
  const sender = peer.addTransceiver(picture, {
    direction: 'sendonly',
    sendEncodings: [{ scaleResolutionDownBy: scaleOf(picture, maxHeight) }],
  }).sender;
  peer.addTransceiver(sound, { direction: 'sendonly' });
  let id: string | null = null;
  try {
    await peer.setLocalDescription(await peer.createOffer());
    await waitForCandidates(peer);
    const accepted = await sendOffer(path, peer.localDescription?.sdp ?? '');
    id = accepted.id;
    const connected = waitForConnection(peer);
    await peer.setRemoteDescription({ type: 'answer', sdp: accepted.answer });
    await limitQuality(sender, Math.max(Math.min(pictureKbps, (maxKbps ?? Infinity) - otherKbps), minPictureKbps));
    await connected;
  } catch (error) {
    peer.close();
    if (id !== null) disconnect(path, id);
    throw error instanceof OfferRefused ? error : new OfferRefused('failed');
  }
  peer.addEventListener('connectionstatechange', () => {
    if (peer.connectionState === 'failed' || peer.connectionState === 'closed') onLost();
    if (peer.connectionState === 'disconnected') setTimeout(reportIfLost, recoverMs);
  });
  function reportIfLost(): void {
    if (peer.connectionState !== 'connected') onLost();
  }
  return {
    id,
    async setPicture(track) {
      const parameters = sender.getParameters();
      for (const encoding of parameters.encodings) encoding.scaleResolutionDownBy = scaleOf(track, maxHeight);
      await sender.setParameters(parameters);
      await sender.replaceTrack(track);
    },
    close: () => peer.close(),
  };
}

function scaleOf(picture: MediaStreamTrack, maxHeight: number | null): number {
  const { width, height } = picture.getSettings();
  if (width === undefined || height === undefined || maxHeight === null) return 1;
  // The limit applies to the shorter side.
  return Math.max(1, Math.min(width, height) / maxHeight);
}

/** Ends the session of the room. False if the platform did not respond. */
export async function endBroadcast(path: string, id: string): Promise<boolean> {
  try {
    return (await fetch(`${path}/${id}`, { method: 'DELETE', signal: AbortSignal.timeout(requestTimeoutMs) })).ok;
  } catch {
    return false;
  }
}

/** Disconnects, but leaves the session open, so that the browser can reconnect. Also sent while the page closes. */
export function disconnect(path: string, id: string): void {
  void fetch(`${path}/${id}?session=keep`, { method: 'DELETE', keepalive: true }).catch(() => {});
}

async function sendOffer(path: string, offer: string): Promise<{ id: string; answer: string }> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ offer }),
    signal: AbortSignal.timeout(requestTimeoutMs),
  }).catch(() => null);
  if (response === null) throw new OfferRefused('media-server-unavailable');
  if (response.status === 404) throw new OfferRefused('ended');
  const answer = (await response.json().catch(() => ({}))) as { id?: string; answer?: string; refusal?: string };
  if (answer.id === undefined || answer.answer === undefined) throw new OfferRefused(answer.refusal ?? 'failed');
  return { id: answer.id, answer: answer.answer };
}

function waitForCandidates(peer: RTCPeerConnection): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (peer.iceGatheringState === 'complete') resolve();
    };
    peer.addEventListener('icegatheringstatechange', check);
    setTimeout(resolve, gatherTimeoutMs);
    check();
  });
}

function waitForConnection(peer: RTCPeerConnection): Promise<void> {
  const connected = new Promise<void>((resolve, reject) => {
    setTimeout(() => reject(new OfferRefused('noRoute')), connectTimeoutMs);
    peer.addEventListener('connectionstatechange', () => {
      if (peer.connectionState === 'connected') resolve();
      if (peer.connectionState === 'failed') reject(new OfferRefused('noRoute'));
    });
  });
  // The offer may be rejected before anything waits for the connection.
  connected.catch(() => {});
  return connected;
}

async function limitQuality(sender: RTCRtpSender, kbps: number): Promise<void> {
  const parameters = sender.getParameters();
  for (const encoding of parameters.encodings) encoding.maxBitrate = kbps * 1000;
  // Fewer pictures instead of smaller ones: each change of their size interrupts the players for seconds.
  parameters.degradationPreference = 'maintain-resolution';
  await sender.setParameters(parameters);
}
