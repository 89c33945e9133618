import type { MediaProvider } from '../media.ts';
import type { Capabilities, ProviderCheck } from '../meet.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { readCall } from './call.ts';
import { requestMedia, requestMediaOnce, type MediaConnection } from './connection.ts';
import { numberOf, textOf } from './members.ts';
import { imageAddress, playbackFor } from './playback-token.ts';
import { copyAddress, recordingsOf } from './recordings.ts';
import { allSessions, endSession, openSession, sessionBody, sessionState } from './sessions.ts';
import { streamBody, streamsOf } from './streams.ts';
import { videosOf } from './videos.ts';

export const foyerMediaCapabilities: Capabilities = {
  hooks: false,
  sendChatMessage: false,
  textTracks: false,
  redirectFalse: false,
  recordingPagination: false,
  sha384: false,
  adminApi: true,
  recordingSizes: true,
  canHideList: false,
};

export function createFoyerMedia(connection: MediaConnection): MediaProvider {
  const { secret } = connection;
  return {
    type: 'foyer-media',
    capabilities: foyerMediaCapabilities,
    open: (plan) => openSession(connection, plan),
    joinUrlFor: (session, participant) =>
      playbackFor(connection, session, { ...participant, mayDownload: false }).hlsUrl,
    state: (roomId) => sessionState(connection, roomId),
    states: () => allSessions(connection),
    isRunning: async (roomId) => (await sessionState(connection, roomId)).exists,
    end: (roomId) => endSession(connection, roomId),
    readProblem: async () => textOf(await requestMedia(connection, { method: 'GET', path: '/v1/server' }), 'problem'),
    version: async () => textOf(await requestMediaOnce(connection, { method: 'GET', path: '/v1/server' }), 'version'),
    check: () => checkMedia(connection),
    playbackFor: (session, viewer) => playbackFor(connection, session, viewer),
    imageAddress: (roomId, videoId, name) => imageAddress(connection, roomId, videoId, name),
    async removeViewer(roomId, viewerId) {
      await requestMedia(connection, { method: 'DELETE', path: `/v1/sessions/${roomId}/viewers/${viewerId}` });
    },
    ...recordingsOf(connection),
    copyAddress: (recording, expiresAtMs) => copyAddress(connection, recording, expiresAtMs),
    videos: videosOf(connection),
    streams: streamsOf(connection),
    publishResponse: (session, stream) => ({
      allow: true,
      session: sessionBody(connection, session),
      stream: streamBody(stream),
    }),
    readCall: (call) => readCall(secret, call),
  };
}

/** Bypasses the circuit breaker, and closes it after a success. */
async function checkMedia(connection: MediaConnection): Promise<ProviderCheck> {
  const started = performance.now();
  try {
    const server = await requestMediaOnce(connection, { method: 'GET', path: '/v1/server' });
    connection.breaker.close();
    return {
      reachable: true,
      apiVersion: textOf(server, 'version'),
      secretAccepted: true,
      latencyMs: Math.round(performance.now() - started),
      dateMs: numberOf(server, 'now_ms'),
      problem: textOf(server, 'problem'),
      warning: textOf(server, 'storage_problem'),
    };
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    const isWrongSecret = error.kind === 'checksum';
    return {
      reachable: isWrongSecret || error.kind === 'refused',
      apiVersion: null,
      secretAccepted: isWrongSecret ? false : null,
      latencyMs: null,
      dateMs: null,
      problem: error.message,
    };
  }
}
