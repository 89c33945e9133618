import { featureName } from '../../../kit/format/feature-values.ts';

/** A feature of the room, with the value that applies to it. */
interface Feature {
  readonly tag: string;
  readonly used: string | null;
}

const streamLimits = ['max_duration', 'max_concurrent_meetings', 'max_bitrate', 'max_resolution', 'stream_minutes'];
const viewerLimits = ['max_viewers', 'viewer_minutes', 'max_concurrent_participants'];

export interface StreamObstacle {
  readonly title: string;
  readonly text: string;
}

/**
 * The limits of 0 that prevent a broadcast, or viewers of it; null if there are none.
 * @param hasViewers false for a simulcast room that only sends to its outputs
 */
export function findStreamObstacle(features: readonly Feature[], hasViewers: boolean): StreamObstacle | null {
  const namesOfZero = (tags: readonly string[]) =>
    features.filter(({ tag, used }) => used === '0' && tags.includes(tag)).map(({ tag }) => featureName(tag));
  const forStream = namesOfZero(streamLimits);
  if (forStream.length > 0) return { title: 'This room can’t go live', text: adviceFor(forStream) };
  const forViewers = hasViewers ? namesOfZero(viewerLimits) : [];
  return forViewers.length === 0 ? null : { title: 'This room can’t be watched', text: adviceFor(forViewers) };
}

function adviceFor(names: readonly string[]): string {
  return names.length === 1
    ? `The limit “${names[0]}” is 0. Raise it in the features of the subscription or of the room.`
    : `These limits are 0: ${names.join(', ')}. Raise them in the features of the subscription or of the room.`;
}
