import type { Nouns, Tags } from '../../conventions/noun.ts';

export const nouns = {
  meeting: {
    object: 'Meeting',
    prefix: 'meet',
    permissions: { meetings: { read: [], end: [] } },
    events: {
      started: 'A meeting started.',
      ended: 'A meeting ended.',
      resumed: 'A meeting that was marked as ended is running again.',
      attendance_recorded: 'The attendance of an ended meeting was corrected with the data of its provider.',
      end_reason_recorded: 'The reason why a meeting ended became known.',
      deleted: 'A meeting was deleted with its room.',
    },
  },
  participant: {
    object: 'Participant',
    prefix: 'part',
    events: {
      admitted: 'A participant was admitted to a meeting and got the address to join it.',
      joined: 'A participant joined a meeting.',
      left: 'A participant left a meeting.',
      deleted: 'A participant was deleted with the room of the meeting.',
    },
  },
  recording: {
    object: 'Recording',
    prefix: 'rec',
    permissions: { recordings: { read: [], update: [], delete: [] } },
    events: {
      created: 'A recording appeared; the server may still be processing it.',
      ready: 'A recording can be watched.',
      updated: 'A recording was changed.',
      published: 'A recording was published.',
      unpublished: 'A recording was unpublished.',
      deleted: 'A recording was deleted.',
    },
  },
} as const satisfies Nouns;

export const tags: Tags = {
  Meetings: 'The meetings of rooms, running and ended.',
  Recordings: 'The recordings of rooms.',
};
