import { outputStates, type StreamControl, type StreamPlan, type StreamState, streamStates } from '../media.ts';
import { requestMedia, type Json, type MediaConnection } from './connection.ts';
import { codeOf, listIn, numberOf, objectOf, textOf, wholeOf, wordOf } from './members.ts';
import { isNotFound } from './sessions.ts';
import { disconnectBroadcast, startBroadcast } from './whip.ts';

export function streamsOf(connection: MediaConnection): StreamControl {
  return {
    async set(plan) {
      const json = streamBody(plan);
      return readStream(await requestMedia(connection, { method: 'PUT', path: `/v1/streams/${plan.roomId}`, json }));
    },
    async state(roomId) {
      try {
        return readStream(await requestMedia(connection, { method: 'GET', path: `/v1/streams/${roomId}` }));
      } catch (error) {
        if (isNotFound(error)) return null;
        throw error;
      }
    },
    async states() {
      const answer = await requestMedia(connection, { method: 'GET', path: '/v1/streams' });
      return listIn(answer, 'streams').map(readStream);
    },
    async ingest() {
      const server = await requestMedia(connection, { method: 'GET', path: '/v1/server' });
      return { rtmpUrl: textOf(server, 'rtmp_url'), publicUrl: connection.publicUrl };
    },
    async end(roomId, reason) {
      await requestMedia(connection, { method: 'POST', path: `/v1/streams/${roomId}/end`, json: { reason } });
    },
    async remove(roomId) {
      await requestMedia(connection, { method: 'DELETE', path: `/v1/streams/${roomId}` });
    },
    receive: (roomId, streamKey, offer) => startBroadcast(connection, { roomId, streamKey, offer }),
    disconnect: (roomId, broadcastId) => disconnectBroadcast(connection, roomId, broadcastId),
  };
}

/** The stream as it is sent to the media server, also in the answer that admits an encoder. */
export function streamBody(plan: StreamPlan): Json {
  return {
    service_type: plan.serviceType,
    callback_url: plan.callbackUrl,
    latency_mode: plan.latencyMode,
    dvr_minutes: plan.dvrMinutes,
    record: plan.isRecorded,
    ladder: plan.ladder,
    max_height: plan.maxHeight,
    max_bitrate_kbps: plan.maxBitrateKbps,
    max_duration_minutes: plan.maxDurationMinutes,
    source: plan.sourceUrl === null ? null : { url: plan.sourceUrl },
    outputs: plan.outputs.map(({ id, url, streamKey, enabled }) => ({ id, url, stream_key: streamKey, enabled })),
    has_viewers: plan.hasViewers,
    allow_private_addresses: plan.allowsPrivateAddresses,
  };
}

export function readStream(json: Json): StreamState {
  const input = objectOf(json, 'input');
  return {
    roomId: textOf(json, 'room_id') ?? '',
    revision: wholeOf(json, 'revision'),
    state: wordOf(json, 'state', streamStates, 'idle'),
    sessionId: textOf(json, 'session_id'),
    startedAtMs: numberOf(json, 'started_at_ms'),
    viewers: wholeOf(json, 'viewers'),
    input: input && {
      width: numberOf(input, 'width'),
      height: numberOf(input, 'height'),
      fps: numberOf(input, 'fps'),
      videoKbps: numberOf(input, 'video_kbps'),
      audioKbps: numberOf(input, 'audio_kbps'),
      keyframeSeconds: numberOf(input, 'keyframe_seconds'),
      warnings: listIn(input, 'warnings').map((warning) => ({
        code: textOf(warning, 'code') ?? '',
        message: textOf(warning, 'message') ?? '',
      })),
    },
    sourceError: textOf(json, 'source_error'),
    sourceErrorCode: codeOf(json, 'source_error_code'),
    outputs: listIn(json, 'outputs').map((output) => ({
      id: textOf(output, 'id') ?? '',
      state: wordOf(output, 'state', outputStates, 'idle'),
      sinceMs: numberOf(output, 'since_ms'),
      kbps: wholeOf(output, 'kbps'),
      bytesSent: wholeOf(output, 'bytes_sent'),
      lastError: textOf(output, 'last_error'),
      lastErrorCode: codeOf(output, 'last_error_code'),
    })),
    endReason: codeOf(json, 'end_reason'),
    endedAtMs: numberOf(json, 'ended_at_ms'),
  };
}
