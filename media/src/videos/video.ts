/** The record of a video, stored beside its files. */
export interface VideoRecord {
  readonly videoId: string;
  readonly roomId: string;
  readonly sizeBytes: number;
  readonly callbackUrl: string;
  readonly expiresAtMs: number;
  /** The longest duration that the platform allows; null for the limit of this server. */
  readonly maximumSeconds: number | null;
  /** Where its file is copied from; null for an upload. */
  readonly sourceUrl: string | null;
  revision: number;
  state: 'awaiting-upload' | 'uploading' | 'queued' | 'processing' | 'ready' | 'failed';
  progress: number;
  receivedBytes: number;
  failure: { readonly code: string; readonly message: string } | null;
  queuedAtMs: number | null;
  /** The answer of the platform, with the longest shorter side; null before the request. */
  allowed: { readonly maxHeight: number | null } | null;
  durationSeconds: number | null;
  /** For the name of a downloaded file, such as `mp4`; null if unknown. */
  extension: string | null;
  width: number | null;
  height: number | null;
  storedBytes: number;
  hasAudio: boolean;
  renditions: Rendition[];
  captions: { readonly language: string; readonly label: string }[];
  hasPoster: boolean;
  hasOwnPoster: boolean;
  /** Viewers cannot read it. */
  isHidden: boolean;
  sprite: { readonly seconds: number; readonly width: number; readonly height: number; readonly count: number } | null;
}

export interface Rendition {
  /** Also the name of the directory of the files. 0 for sound alone. */
  readonly height: number;
  readonly width: number;
  /** The peak bit rate of a segment with audio, in bit/s. */
  readonly bitrate: number;
  readonly averageBitrate: number;
  /** Such as `avc1.64001f`. */
  readonly codec: string;
}

/** The video as the API returns it. */
export function printVideo(video: VideoRecord) {
  return {
    video_id: video.videoId,
    room_id: video.roomId,
    revision: video.revision,
    state: video.state,
    progress: video.progress,
    received_bytes: video.receivedBytes,
    failure: video.failure,
    duration_seconds: video.durationSeconds,
    width: video.width,
    height: video.height,
    size_bytes: video.sizeBytes,
    stored_bytes: video.storedBytes,
    playable: isPlayable(video),
    renditions: video.renditions.map(({ height, bitrate, codec }) => ({ height, bitrate, codec })),
    captions: video.captions,
    has_poster: video.hasPoster,
    has_sprite: video.sprite !== null,
  };
}

export function isPlayable({ state, renditions }: VideoRecord): boolean {
  return state !== 'failed' && renditions.length > 0;
}

export type VideoPlan = Pick<
  VideoRecord,
  'videoId' | 'roomId' | 'sizeBytes' | 'callbackUrl' | 'expiresAtMs' | 'maximumSeconds' | 'sourceUrl'
>;

/** A new video without uploaded data. */
export function newVideo(plan: VideoPlan): VideoRecord {
  return {
    ...plan,
    revision: 1,
    state: 'awaiting-upload',
    progress: 0,
    receivedBytes: 0,
    failure: null,
    queuedAtMs: null,
    allowed: null,
    durationSeconds: null,
    extension: null,
    width: null,
    height: null,
    storedBytes: 0,
    hasAudio: false,
    renditions: [],
    captions: [],
    hasPoster: false,
    hasOwnPoster: false,
    isHidden: false,
    sprite: null,
  };
}
