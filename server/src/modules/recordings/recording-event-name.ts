import type { EventName } from '@foyer/contract/conventions/event-types.ts';

/** The name of the event of a change. */
export function recordingEventName(
  before: { readonly published: boolean },
  after: { readonly published: boolean },
): EventName {
  if (before.published === after.published) return 'recording.updated';
  return after.published ? 'recording.published' : 'recording.unpublished';
}
