import { randomUUID } from 'node:crypto';
import { errorResponse, type JsonResponse } from './fake-media-videos.ts';

export type Json = Record<string, unknown>;
export type StreamState = Json & { revision: number };

export interface FakeStream {
  /** The body of the request that registered the stream. */
  body: Json | null;
  state: StreamState;
}

/** The sessions and streams of a fake media server. They deliver no media. */
export function createFakeStreams(nowMs: () => number) {
  const streams = new Map<string, FakeStream>();
  const sessions = new Map<string, Json>();

  function change(roomId: string, members: Json): StreamState {
    const stream = streams.get(roomId) ?? { body: null, state: idleStream(roomId) };
    stream.state = { ...stream.state, ...members, revision: stream.state.revision + 1 };
    streams.set(roomId, stream);
    return stream.state;
  }

  function openSession(roomId: string, body: Json): Json {
    const session = sessions.get(roomId) ?? {
      room_id: roomId,
      session_id: randomUUID(),
      service_type: body['service_type'],
      created_at_ms: nowMs(),
      live_since_ms: null,
      viewers: [],
      peak_viewers: 0,
    };
    sessions.set(roomId, session);
    return session;
  }

  function endSession(roomId: string, reason: string): void {
    const stream = streams.get(roomId);
    sessions.delete(roomId);
    if (!stream || stream.state['state'] === 'idle') return;
    change(roomId, {
      state: 'idle',
      session_id: null,
      started_at_ms: null,
      input: null,
      viewers: 0,
      end_reason: reason,
      ended_at_ms: nowMs(),
    });
  }

  /** Requests below `/v1/sessions`. */
  function respondToSession(method: string, id: string, body: Json): JsonResponse {
    if (method === 'PUT') {
      const already = sessions.has(id);
      return [200, { ...openSession(id, body), already }];
    }
    if (method === 'DELETE') {
      endSession(id, 'platform');
      return [204, null];
    }
    if (id === '') return [200, { sessions: [...sessions.values()] }];
    const session = sessions.get(id);
    return session ? [200, session] : errorResponse(404, 'not-found', 'No session.');
  }

  /** Requests below `/v1/streams`. */
  function respondToStream(method: string, id: string, action: string, body: Json): JsonResponse {
    if (id === '') return [200, { streams: Array.from(streams.values(), ({ state }) => state) }];
    if (method === 'PUT') {
      const state = change(id, {});
      streams.set(id, { body, state });
      return [200, state];
    }
    if (method === 'DELETE') {
      streams.delete(id);
      return [204, null];
    }
    if (action === 'end') {
      endSession(id, String(body['reason']));
      return [204, null];
    }
    const stream = streams.get(id);
    return stream ? [200, stream.state] : errorResponse(404, 'not-found', 'No stream.');
  }

  return { streams, sessions, change, openSession, respondToSession, respondToStream };
}

function idleStream(roomId: string): StreamState {
  return {
    room_id: roomId,
    revision: 1,
    state: 'idle',
    session_id: null,
    started_at_ms: null,
    ended_at_ms: null,
    protocol: null,
    input: null,
    viewers: 0,
    outputs: [],
    recording: null,
    end_reason: null,
  };
}
