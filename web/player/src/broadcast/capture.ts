export type Source = 'camera' | 'screen';

export interface Devices {
  readonly cameras: readonly MediaDeviceInfo[];
  readonly microphones: readonly MediaDeviceInfo[];
}

/** Why there is no picture or sound; the page has a sentence for each. */
export type CaptureProblem = 'permission' | 'noDevice' | 'inUse' | 'unsupported' | 'failed';

export class CaptureFailed extends Error {
  readonly problem: CaptureProblem;

  constructor(problem: CaptureProblem) {
    super(problem);
    this.problem = problem;
  }
}

const picture = { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30, max: 30 } };
const voice = { echoCancellation: true, noiseSuppression: true };
const screenPicture = { width: { max: 1920 }, frameRate: { ideal: 30, max: 30 } };
const maxScreenHeight = 1080;

export function canCapture(): boolean {
  return 'mediaDevices' in navigator && 'RTCPeerConnection' in window && 'AudioContext' in window;
}

/** Phones can't share their screen. */
export function canShareScreen(): boolean {
  return 'getDisplayMedia' in navigator.mediaDevices;
}

/** Requests both devices together, so that the browser asks the user once. A device that cannot be opened is null. */
export async function openCameraAndMicrophone() {
  try {
    const stream = await navigator.mediaDevices.getUserMedia({ video: picture, audio: voice });
    const [camera = null, microphone = null] = [stream.getVideoTracks()[0], stream.getAudioTracks()[0]];
    return { camera, microphone, problem: null };
  } catch {
    const [camera, microphone] = await Promise.allSettled([openCamera(''), openMicrophone('')]);
    const failed = [camera, microphone].find((outcome) => outcome.status === 'rejected');
    return {
      camera: camera.status === 'fulfilled' ? camera.value : null,
      microphone: microphone.status === 'fulfilled' ? microphone.value : null,
      problem: failed ? problemOf(failed.reason) : null,
    };
  }
}

/** @param deviceId empty for the default device */
export async function openCamera(deviceId: string): Promise<MediaStreamTrack> {
  return await openTrack({ video: { ...picture, ...deviceOf(deviceId) } });
}

/** @param deviceId empty for the default device */
export async function openMicrophone(deviceId: string): Promise<MediaStreamTrack> {
  return await openTrack({ audio: { ...voice, ...deviceOf(deviceId) } });
}

/**
 * The screen or window that the user chooses, with its sound if there is one. Null if the user chose none.
 * @param maxHeight also limits a window that is enlarged later; null for any height
 */
export async function openScreen(
  maxHeight: number | null,
): Promise<{ picture: MediaStreamTrack; sound: MediaStreamTrack | null } | null> {
  try {
    const height = { max: Math.min(maxScreenHeight, maxHeight ?? Infinity) };
    const stream = await navigator.mediaDevices.getDisplayMedia({ video: { ...screenPicture, height }, audio: true });
    const [track] = stream.getVideoTracks();
    if (!track) return null;
    track.contentHint = 'detail';
    return { picture: track, sound: stream.getAudioTracks()[0] ?? null };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotAllowedError') return null;
    throw failureOf(error);
  }
}

/** Browsers return the names of devices only after the user has given permission. */
export async function listDevices(): Promise<Devices> {
  const devices = await navigator.mediaDevices.enumerateDevices();
  const devicesOfKind = (kind: MediaDeviceKind) =>
    devices.filter((device) => device.kind === kind && device.deviceId !== '');
  return { cameras: devicesOfKind('videoinput'), microphones: devicesOfKind('audioinput') };
}

async function openTrack(constraints: MediaStreamConstraints): Promise<MediaStreamTrack> {
  try {
    const [track] = (await navigator.mediaDevices.getUserMedia(constraints)).getTracks();
    if (track) return track;
  } catch (error) {
    throw failureOf(error);
  }
  throw new CaptureFailed('noDevice');
}

export function problemOf(error: unknown): CaptureProblem {
  return error instanceof CaptureFailed ? error.problem : 'failed';
}

function deviceOf(deviceId: string): MediaTrackConstraints {
  return deviceId === '' ? {} : { deviceId: { exact: deviceId } };
}

const problems: Readonly<Record<string, CaptureProblem>> = {
  NotAllowedError: 'permission',
  SecurityError: 'permission',
  NotFoundError: 'noDevice',
  OverconstrainedError: 'noDevice',
  NotReadableError: 'inUse',
  AbortError: 'inUse',
};

function failureOf(error: unknown): CaptureFailed {
  return new CaptureFailed((error instanceof DOMException ? problems[error.name] : undefined) ?? 'failed');
}
