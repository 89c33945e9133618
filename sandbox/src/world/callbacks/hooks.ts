import { createHash } from 'node:crypto';
import { appendQuery } from './callbacks.ts';
import type { Meeting, MeetingEvent } from '../meeting.ts';
import type { World } from '../world.ts';
import type { Hook } from './hook.ts';

/** Sends the recorded events of a meeting to the hooks. */
export function sendRecordedEvents(world: World, meeting: Meeting): void {
  if (meeting.events.length === 0) return;
  for (const event of meeting.events.splice(0)) notifyHooks(world, meeting, event);
}

/** Notifies all matching hooks. Hooks for raw messages receive nothing, because the server does not allow them. */
export function notifyHooks(
  world: World,
  meeting: Pick<Meeting, 'internalId' | 'externalId'>,
  { type, at, attributes }: MeetingEvent,
): void {
  const matching = [...world.hooks.values()].filter(
    (hook) =>
      !hook.getRaw &&
      (hook.meetingId === null || hook.meetingId === meeting.externalId) &&
      (hook.eventIds === null || hook.eventIds.includes(type)),
  );
  if (matching.length === 0) return;
  const ids = { 'internal-meeting-id': meeting.internalId, 'external-meeting-id': meeting.externalId };
  const fullAttributes = { ...attributes, meeting: { ...ids, ...asObject(attributes['meeting']) } };
  const event = { data: { type: 'event', id: type, attributes: fullAttributes, event: { ts: at } } };
  for (const hook of matching) queueEvent(world, hook, event, { meetingId: meeting.externalId, at });
}

function queueEvent(
  world: World,
  hook: Hook,
  event: object,
  { meetingId, at }: { readonly meetingId: string; readonly at: number },
): void {
  const { hookSignature, domain } = world;
  // The event is documented as an object, but servers send a list with one object.
  const body = new URLSearchParams({
    domain,
    event: `[${JSON.stringify(event)}]`,
    timestamp: String(world.clock.now()),
  }).toString();
  const contentType = { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' };
  world.callbacks.queue({
    kind: 'hook',
    url: hook.callbackUrl,
    meetingId,
    at,
    retryDelaysMs,
    prepare(secret) {
      if (hookSignature === 'bearer') {
        return {
          method: 'POST',
          url: hook.callbackUrl,
          headers: { ...contentType, authorization: `Bearer ${secret}` },
          body,
        };
      }
      const checksum = createHash(hookSignature).update(`${hook.callbackUrl}${body}${secret}`).digest('hex');
      return { method: 'POST', url: appendQuery(hook.callbackUrl, `checksum=${checksum}`), headers: contentType, body };
    },
    // A 401 counts as delivered.
    isAccepted: (status) => (status >= 200 && status < 300) || status === 401,
    onDropped() {
      if (world.hooks.delete(hook.id))
        world.logger.warn({ hookID: hook.id }, 'A hook was removed because its receiver does not respond.');
    },
  });
}

/** About five minutes in all; then the hook itself is removed. */
const retryDelaysMs = [100, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 30_000, 60_000, 60_000, 60_000, 60_000];

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
