import { exampleIdentifier } from './example-identifier.ts';
import { roomUrl } from './example-people.ts';

/** Examples of streams and outputs, by object. */
export const broadcastExamples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Stream: {
    state: 'live',
    ingest: {
      rtmp_url: 'rtmp://media.example.com:1935/live',
      stream_key: '********',
      whip_url: `https://media.example.com/whip/${exampleIdentifier('room').uuid}`,
    },
    playback: { url: roomUrl },
    started_at: '2026-02-28T16:30:04.118203Z',
    viewers: 212,
    input: {
      width: 1280,
      height: 720,
      fps: 30,
      video_kbps: 3012,
      audio_kbps: 160,
      keyframe_seconds: 2,
      warnings: [],
    },
    record: true,
    latency_mode: 'low',
    source: null,
    source_error: null,
    source_error_code: null,
  },
  Output: {
    name: 'School channel',
    platform: 'youtube',
    url: 'rtmps://a.rtmps.youtube.com/live2',
    stream_key: '********',
    enabled: true,
    state: 'live',
    since: '2026-02-28T16:30:05.402117Z',
    kbps: 3170,
    bytes_sent: 713_031_680,
    last_error: null,
    last_error_code: null,
    output_metadata: { channel: 'main' },
  },
};
