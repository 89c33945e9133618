import type { Answer } from '../../http/answer.ts';
import { type Meeting, isRunning, addEvent } from '../../world/meeting.ts';
import { findMeeting } from '../../world/world.ts';
import type { ApiCall } from '../request/call.ts';
import { readDocuments } from '../documents.ts';
import { readMeetingId, readText } from '../request/parameters.ts';
import { randomName } from './random-name.ts';
import { refusal } from '../request/refusals.ts';
import { success, xmlAnswer } from '../request/xml.ts';

/** Adds presentations to an existing meeting. Its errors have no key. */
export function insertDocument({ world, parameters, xml }: ApiCall): Answer {
  const id = readMeetingId(parameters);
  const meeting = findMeeting(world, id);
  if (!meeting) return failedWithoutKey(`Meeting with id [${id}] not found.`);
  if (isDisabled(meeting, 'presentation')) return failedWithoutKey('Presentation feature is disabled, ignoring.');
  const documents = readDocuments(xml ?? '');
  if (documents.length === 0) throw refusal('documentMissing');
  if (documents.some(({ current }) => current)) {
    for (const document of meeting.documents) document.current = false;
  }
  meeting.documents.push(...documents);
  const at = world.clock.now();
  for (const { current, name } of documents) {
    if (current) addEvent(meeting, at, 'meeting-presentation-changed', { meeting: { 'presentation-id': name } });
  }
  return success({ message: 'Presentation is being uploaded' });
}

/** Sends a chat message to all participants. An empty meeting counts as not running. */
export function sendChatMessage({ world, parameters }: ApiCall): Answer {
  const id = readMeetingId(parameters);
  const message = readText(parameters, 'message');
  if (message === undefined || message.length > maxMessageLength) throw refusal('chatMessageSize');
  const meeting = findMeeting(world, id);
  if (!meeting || !isRunning(meeting) || isDisabled(meeting, 'chat')) throw refusal('chatMeetingUnknown');
  const at = world.clock.now();
  const entry = { id: `${at}-${randomName(8)}`, at, userName: readText(parameters, 'userName') ?? 'System', message };
  meeting.chat.push(entry);
  addEvent(meeting, at, 'chat-group-message-sent', {
    'chat-message': {
      id: entry.id,
      message,
      sender: { 'internal-user-id': 'SYSTEM', name: entry.userName, time: at },
    },
    'chat-id': 'MAIN-PUBLIC-GROUP-CHAT',
  });
  return success({ messageKey: 'sentChatMessage', message: 'The message was sent.' });
}

const maxMessageLength = 500;

export function isDisabled({ settings }: Meeting, feature: string): boolean {
  const hasFeature = (list: string) => list.split(',').some((name) => name.trim() === feature);
  return hasFeature(settings.disabledFeatures) && !hasFeature(settings.disabledFeaturesExclude);
}

function failedWithoutKey(message: string): Answer {
  return xmlAnswer({ returncode: 'FAILED', message });
}
