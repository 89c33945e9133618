import type { MeetingPlan, MeetingProvider, OpenMeeting, Participant } from './meet.ts';

/**
 * The port to a media server, which delivers the sessions of video, live and simulcast rooms. For the platform a
 * session is a meeting whose participants are the viewers. Every call rejects with `ProviderFailure`.
 */
export interface MediaProvider extends MeetingProvider {
  /** The signed playback address for one viewer, and its expiry. Sends no request. */
  playbackFor(session: OpenMeeting, viewer: Viewer): Playback;
  /** The signed address of a picture, for people who manage videos and are not in a session. Sends no request. */
  imageAddress(roomId: string, videoId: string, name: string): string;
  /**
   * The signed address from which a media server copies the recording, valid until `expiresAtMs`. Sends no request.
   */
  copyAddress(recording: { readonly roomId: string; readonly recordingId: string }, expiresAtMs: number): string;
  /** Rejects the playback addresses of the viewer from now on. Succeeds if the viewer does not exist. */
  removeViewer(roomId: string, viewerId: string): Promise<void>;
  readonly videos: VideoStore;
  readonly streams: StreamControl;
  /** The response to `stream.publish` that accepts the encoder. Sends no request. */
  publishResponse(session: SessionPlan, stream: StreamPlan): object;
  /** Parses a call of the media server; null without a valid signature. Sends no request. */
  readCall(call: MediaCall): MediaEvent | null;
}

export type SessionPlan = Pick<MeetingPlan, 'serviceType' | 'name' | 'features' | 'callbacks'>;

export function isMediaProvider(provider: MeetingProvider): provider is MediaProvider {
  return 'videos' in provider && 'streams' in provider;
}

export interface Viewer extends Pick<Participant, 'userId' | 'fullName' | 'role'> {
  readonly mayDownload: boolean;
  /** The video; absent for a stream. */
  readonly videoId?: string;
}

export interface Playback {
  /** The directory of all files for the viewer, with a slash at its end. */
  readonly baseUrl: string;
  readonly hlsUrl: string;
  readonly expiresAtMs: number;
}

export interface VideoStore {
  /** Reserves or finds an upload. Equal plans have the same upload. */
  prepare(plan: UploadPlan): Promise<Upload>;
  /** Reserves a video whose file the media server copies. Equal plans lead to the same video. */
  copy(plan: UploadPlan, sourceUrl: string): Promise<VideoState>;
  /** The videos that exist. */
  find(videoIds: readonly string[]): Promise<VideoState[]>;
  /** Succeeds if the video does not exist. */
  remove(videoId: string): Promise<void>;
  /** Viewers cannot read a hidden video. Succeeds if the video does not exist. */
  setHidden(videoId: string, isHidden: boolean): Promise<void>;
  retry(videoId: string): Promise<VideoState>;
  setPoster(videoId: string, image: FileContent): Promise<VideoState>;
  setCaptions(videoId: string, language: string, label: string, file: FileContent): Promise<VideoState>;
  removeCaptions(videoId: string, language: string): Promise<VideoState>;
}

export interface FileContent {
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface UploadPlan {
  readonly videoId: string;
  readonly roomId: string;
  readonly sizeBytes: number;
  readonly expiresAtMs: number;
  /** The callback address, where the media server asks to transcode and reports changes. */
  readonly callbackUrl: string;
}

export interface Upload {
  readonly url: string;
  readonly expiresAtMs: number;
}

export const videoStates = ['awaiting-upload', 'uploading', 'queued', 'processing', 'ready', 'failed'] as const;
export type VideoStateName = (typeof videoStates)[number];

export interface VideoState {
  readonly videoId: string;
  /** Grows with each change: an older state is ignored. */
  readonly revision: number;
  readonly state: VideoStateName;
  /** 0–100 */
  readonly progress: number;
  readonly failure: { readonly code: string; readonly message: string } | null;
  readonly durationSeconds: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly sizeBytes: number;
  /** The size of all its files. */
  readonly storedBytes: number;
  readonly isPlayable: boolean;
  readonly renditions: readonly { readonly height: number; readonly bitrate: number; readonly codec: string }[];
  readonly captions: readonly { readonly language: string; readonly label: string }[];
  readonly hasPoster: boolean;
  readonly hasSprite: boolean;
}

export interface StreamControl {
  /**
   * Registers or changes the stream. Outputs and source of a running stream change at once, everything else with the
   * next session.
   */
  set(plan: StreamPlan): Promise<StreamState>;
  /** Null if it is not registered. */
  state(roomId: string): Promise<StreamState | null>;
  /** The states of all registered streams. */
  states(): Promise<StreamState[]>;
  ingest(): Promise<Ingest>;
  /** Disconnects the encoder. Succeeds if none is connected. */
  end(roomId: string, reason: string): Promise<void>;
  /** Succeeds if it does not exist. */
  remove(roomId: string): Promise<void>;
  /** Receives the stream of a browser by WebRTC (WHIP). Rejects with `refused` and the reason. */
  receive(roomId: string, streamKey: string, offer: string): Promise<BrowserBroadcast>;
  /** Disconnects the browser. Succeeds if it is not connected. */
  disconnect(roomId: string, broadcastId: string): Promise<void>;
}

export interface BrowserBroadcast {
  readonly id: string;
  /** The SDP answer to the offer. */
  readonly answer: string;
}

/** The addresses for encoders. */
export interface Ingest {
  readonly rtmpUrl: string | null;
  /** The base of WHIP addresses. */
  readonly publicUrl: string;
}

export interface StreamPlan {
  readonly roomId: string;
  readonly serviceType: 'live' | 'simulcast';
  readonly callbackUrl: string;
  readonly latencyMode: 'normal' | 'low';
  readonly dvrMinutes: number;
  readonly isRecorded: boolean;
  /** Heights of the renditions besides the input; empty for none. */
  readonly ladder: readonly number[];
  /** A higher picture is not delivered; null for any height. */
  readonly maxHeight: number | null;
  readonly maxBitrateKbps: number | null;
  readonly maxDurationMinutes: number | null;
  readonly sourceUrl: string | null;
  readonly outputs: readonly OutputPlan[];
  /** Whether viewers can watch it; false if it is only sent to outputs. */
  readonly hasViewers: boolean;
  readonly allowsPrivateAddresses: boolean;
}

export interface OutputPlan {
  readonly id: string;
  readonly url: string;
  readonly streamKey: string;
  readonly enabled: boolean;
}

export const streamStates = ['idle', 'live', 'reconnecting'] as const;
export type StreamStateName = (typeof streamStates)[number];
export const outputStates = ['idle', 'connecting', 'live', 'reconnecting', 'failed'] as const;
export type OutputStateName = (typeof outputStates)[number];

export interface StreamState {
  readonly roomId: string;
  readonly revision: number;
  readonly state: StreamStateName;
  readonly sessionId: string | null;
  readonly startedAtMs: number | null;
  readonly viewers: number;
  readonly input: StreamInput | null;
  /** Why the source cannot be fetched; null if it can, and without a source. */
  readonly sourceError: string | null;
  /** The stable code of `sourceError`. */
  readonly sourceErrorCode: string | null;
  readonly outputs: readonly OutputState[];
  readonly endReason: string | null;
  /** When the last session ended; null if the media server does not report it. */
  readonly endedAtMs: number | null;
}

export interface StreamInput {
  readonly width: number | null;
  readonly height: number | null;
  readonly fps: number | null;
  readonly videoKbps: number | null;
  readonly audioKbps: number | null;
  readonly keyframeSeconds: number | null;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

export interface OutputState {
  readonly id: string;
  readonly state: OutputStateName;
  readonly sinceMs: number | null;
  readonly kbps: number;
  readonly bytesSent: number;
  readonly lastError: string | null;
  readonly lastErrorCode: string | null;
}

/** A request that claims to be from the media server. */
export interface MediaCall {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
  readonly body: Buffer;
  readonly nowMs: number;
}

export type MediaEvent =
  /** The media server asks whether to transcode the video. */
  | {
      readonly type: 'video.uploaded';
      readonly videoId: string;
      readonly sizeBytes: number;
      readonly probe: VideoProbe;
    }
  | { readonly type: 'video.changed'; readonly video: VideoState }
  /** The media server asks whether to accept the encoder. */
  | {
      readonly type: 'stream.publish';
      readonly roomId: string;
      readonly key: string;
      readonly protocol: 'rtmp' | 'whip' | 'pull';
    }
  | { readonly type: 'stream.changed'; readonly stream: StreamState }
  | { readonly type: 'recording.changed'; readonly roomId: string; readonly recordingId: string }
  | { readonly type: 'session.changed' | 'session.ended'; readonly roomId: string; readonly sessionId: string }
  | { readonly type: 'other' };

export interface VideoProbe {
  readonly durationSeconds: number;
  readonly width: number | null;
  readonly height: number | null;
}
