import { create } from '../api/create.ts';
import { isDisabled } from '../api/joining/insert-document-and-chat.ts';
import type { Meeting } from '../world/meeting.ts';
import type { World } from '../world/world.ts';
import { ControlRefusal } from './refusal.ts';

/** Creates breakout rooms, like a moderator in the client. @returns their meetingIDs */
export function openBreakoutRooms(world: World, parent: Meeting, count: number, minutes: number): string[] {
  if (isDisabled(parent, 'breakoutRooms') || !parent.settings.breakoutRoomsEnabled) {
    throw new ControlRefusal('Breakout rooms are off in this meeting.');
  }
  if (parent.parentId !== null) throw new ControlRefusal('A breakout room cannot have breakout rooms.');
  const at = world.clock.now();
  return Array.from({ length: count }, (_, index) => {
    const sequence = index + 1;
    const meetingID = `${parent.externalId}-${at}-${sequence}`.slice(-256);
    const parameters = new Map([
      ['meetingID', meetingID],
      ['name', `${parent.name} (Room ${sequence})`.slice(-256)],
      ['isBreakout', 'true'],
      ['parentMeetingID', parent.internalId],
      ['sequence', String(sequence)],
      ['freeJoin', 'true'],
      ['duration', String(minutes)],
      ['record', String(parent.settings.record && parent.settings.breakoutRoomsRecord)],
    ]);
    create({ world, parameters, origin: '', xml: null, json: null, files: new Map() });
    return meetingID;
  });
}
