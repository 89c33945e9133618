import { notFound, sendEmpty, sendJson } from '../http/answer.ts';
import { requireCallback, requireText, requireUuid, requireWord, readWholeOrNull } from '../http/json-members.ts';
import { type Route, signedRoute } from '../http/route.ts';
import { printSession, type SessionPlan, type Sessions } from './sessions.ts';

export const serviceTypes = ['video', 'live', 'simulcast'] as const;

export function sessionRoutes(sessions: Sessions): Route[] {
  return [
    signedRoute('GET', '/v1/sessions', ({ response }) =>
      sendJson(response, 200, { sessions: sessions.all().map(printSession) }),
    ),
    signedRoute('GET', '/v1/sessions/:room_id', ({ response, params }) => {
      const session = sessions.find(requireUuid(params['room_id'], 'room_id'));
      if (!session) throw notFound('The session');
      sendJson(response, 200, printSession(session));
    }),
    signedRoute('PUT', '/v1/sessions/:room_id', async ({ response, params, json }) => {
      const { session, wasOpen } = await sessions.open(readPlan(requireUuid(params['room_id'], 'room_id'), json()));
      sendJson(response, 200, { ...printSession(session), already: wasOpen });
    }),
    signedRoute('DELETE', '/v1/sessions/:room_id', async ({ response, params, query }) => {
      await sessions.end(requireUuid(params['room_id'], 'room_id'), query.get('reason') ?? 'platform');
      sendEmpty(response);
    }),
    signedRoute('DELETE', '/v1/sessions/:room_id/viewers/:viewer_id', async ({ response, params }) => {
      const viewerId = requireUuid(params['viewer_id'], 'viewer_id');
      await sessions.removeViewer(requireUuid(params['room_id'], 'room_id'), viewerId);
      sendEmpty(response);
    }),
  ];
}

/** @throws Refusal 422 */
export function readPlan(roomId: string, json: Readonly<Record<string, unknown>>): SessionPlan {
  return {
    roomId,
    serviceType: requireWord(json, 'service_type', serviceTypes),
    name: requireText(json, 'name', 500),
    callbackUrl: requireCallback(json),
    maxViewers: readWholeOrNull(json, 'max_viewers'),
    maxDurationMinutes: readWholeOrNull(json, 'max_duration_minutes'),
  };
}
