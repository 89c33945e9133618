import { randomUUID } from 'node:crypto';
import type { Answer } from '../http/answer.ts';
import type { Hook } from '../world/callbacks/hook.ts';
import type { ApiCall } from './request/call.ts';
import { readText } from './request/parameters.ts';
import { refusal } from './request/refusals.ts';
import { type XmlElements, success } from './request/xml.ts';

/** Creates a hook, or returns the existing hook of the address. */
export function createHook({ world, parameters }: ApiCall): Answer {
  const callbackUrl = readText(parameters, 'callbackURL');
  if (callbackUrl === undefined) throw refusal('callbackUrlMissing');
  const getRaw = (readText(parameters, 'getRaw') ?? 'false').toLowerCase();
  if (getRaw !== 'true' && getRaw !== 'false') throw refusal('hookFailed');
  const existing = [...world.hooks.values()].find((hook) => hook.callbackUrl === callbackUrl);
  if (existing) {
    return success({
      hookID: existing.id,
      messageKey: 'duplicateWarning',
      message: 'There is already a hook for this callback URL.',
    });
  }
  const hook: Hook = {
    id: randomUUID(),
    callbackUrl,
    meetingId: readText(parameters, 'meetingID') ?? null,
    eventIds: parameters.get('eventID')?.toLowerCase().split(',') ?? null,
    getRaw: getRaw === 'true',
  };
  world.hooks.set(hook.id, hook);
  return success({ hookID: hook.id, permanentHook: false, rawData: hook.getRaw });
}

/** With a meetingID, lists the hooks that receive its events, including hooks for all meetings. */
export function listHooks({ world, parameters }: ApiCall): Answer {
  const meetingId = readText(parameters, 'meetingID');
  const hooks = [...world.hooks.values()].filter(
    (hook) => meetingId === undefined || hook.meetingId === null || hook.meetingId === meetingId,
  );
  return success({ hooks: hooks.length === 0 ? '' : { hook: hooks.map(printHook) } });
}

export function destroyHook({ world, parameters }: ApiCall): Answer {
  const id = readText(parameters, 'hookID');
  if (id === undefined) throw refusal('hookIdMissing');
  if (!world.hooks.delete(id)) throw refusal('hookUnknown');
  return success({ removed: true });
}

function printHook({ id, callbackUrl, meetingId, eventIds, getRaw }: Hook): XmlElements {
  return {
    hookID: id,
    callbackURL: { '#cdata': callbackUrl },
    ...(meetingId === null ? {} : { meetingID: { '#cdata': meetingId } }),
    permanentHook: false,
    rawData: getRaw,
    ...(eventIds === null ? {} : { eventID: eventIds.join(',') }),
  };
}
