import type { MediaCall, MediaEvent } from '../media.ts';
import { isSignatureValid, type Json } from './connection.ts';
import { numberOf, objectOf, textOf, wholeOf, wordOf } from './members.ts';
import { readStream } from './streams.ts';
import { readVideo } from './videos.ts';

/** Parses a call of the media server; null without a valid signature. */
export function readCall(secret: string, { method, path, timestamp, signature, body, nowMs }: MediaCall) {
  if (timestamp === undefined || signature === undefined) return null;
  if (!isSignatureValid(secret, { timestamp, signature, method, path, body, nowMs })) return null;
  return readEvent(body);
}

function readEvent(body: Buffer): MediaEvent {
  let json: Json;
  try {
    json = JSON.parse(body.toString()) as Json;
  } catch {
    return { type: 'other' };
  }
  if (typeof json !== 'object' || json === null) return { type: 'other' };
  const roomId = textOf(json, 'room_id') ?? '';
  switch (json['type']) {
    case 'video.uploaded': {
      const probe = objectOf(json, 'probe') ?? {};
      return {
        type: 'video.uploaded',
        videoId: textOf(json, 'video_id') ?? '',
        sizeBytes: wholeOf(json, 'size_bytes'),
        probe: {
          durationSeconds: numberOf(probe, 'duration_seconds') ?? 0,
          width: numberOf(probe, 'width'),
          height: numberOf(probe, 'height'),
        },
      };
    }
    case 'video.changed': {
      const video = readVideo(objectOf(json, 'video') ?? {});
      return video ? { type: 'video.changed', video } : { type: 'other' };
    }
    case 'stream.publish':
      return {
        type: 'stream.publish',
        roomId,
        key: textOf(json, 'key') ?? '',
        protocol: wordOf(json, 'protocol', ['rtmp', 'whip', 'pull'], 'rtmp'),
      };
    case 'stream.changed':
      return { type: 'stream.changed', stream: readStream(objectOf(json, 'stream') ?? {}) };
    case 'recording.changed': {
      const recording = objectOf(json, 'recording') ?? {};
      return {
        type: 'recording.changed',
        roomId: textOf(recording, 'room_id') ?? '',
        recordingId: textOf(recording, 'recording_id') ?? '',
      };
    }
    case 'session.changed':
    case 'session.ended': {
      const session = objectOf(json, 'session') ?? json;
      return {
        type: json['type'],
        roomId: textOf(session, 'room_id') ?? roomId,
        sessionId: textOf(session, 'session_id') ?? '',
      };
    }
    default:
      return { type: 'other' };
  }
}
