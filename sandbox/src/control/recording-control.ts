import { sha1 } from '../api/create.ts';
import { publish } from '../world/processing.ts';
import { type FormatType, type Recording, type RecordingState, sizeFor } from '../world/recording.ts';
import type { World } from '../world/world.ts';
import { ControlRefusal } from './refusal.ts';

/** A recording without a meeting of this process. Instants are milliseconds since 1970. */
export interface PlantRecordingRequest {
  meetingID: string;
  /** `published` by default. */
  state?: RecordingState;
  /** By default derived from the meeting's id and the start, like on a server. */
  recordID?: string;
  /** The meeting's id by default. */
  name?: string;
  /** An hour before the clock by default. */
  startTime?: number;
  /** The time of the clock by default. */
  endTime?: number;
  /** The whole duration by default. */
  recordedMs?: number;
  participants?: number;
  sizeBytes?: number;
  formats?: readonly FormatType[];
  metadata?: Readonly<Record<string, string>>;
}

/** @returns its recordID */
export function plantRecording(world: World, request: PlantRecordingRequest): string {
  const endTime = request.endTime ?? world.clock.now();
  const startTime = request.startTime ?? endTime - 3_600_000;
  const recordedMs = request.recordedMs ?? Math.max(0, endTime - startTime);
  const recordId = request.recordID ?? `${sha1(request.meetingID)}-${startTime}`;
  if (world.recordings.some((recording) => recording.recordId === recordId)) {
    throw new ControlRefusal('A recording with this recordID already exists.');
  }
  world.recordings.push({
    recordId,
    meetingId: request.meetingID,
    name: request.name ?? request.meetingID,
    isBreakout: false,
    breakout: null,
    state: request.state ?? 'published',
    startTime,
    endTime,
    recordedMs,
    readyAt: endTime,
    participants: request.participants ?? 1,
    sizeBytes: request.sizeBytes ?? sizeFor(recordedMs),
    formats: [...(request.formats ?? world.recordingFormats)],
    metadata: new Map(Object.entries(request.metadata ?? {})),
    readyUrl: null,
    textTracks: [],
    isBroken: false,
  });
  return recordId;
}

/** Removes a recording without events, as after the loss of a disk. */
export function loseRecording(world: World, recordId: string): void {
  world.recordings.splice(world.recordings.indexOf(requireRecording(world, recordId)), 1);
}

/** A broken recording is listed with an error instead of its data. */
export function breakRecording(world: World, recordId: string, isBroken: boolean): void {
  requireRecording(world, recordId).isBroken = isBroken;
}

export function finishProcessing(world: World, recordId: string | undefined): void {
  for (const recording of world.recordings) {
    if (recordId !== undefined && recording.recordId !== recordId) continue;
    if (recording.state !== 'processing') continue;
    recording.readyAt = Math.min(recording.readyAt, world.clock.now());
    publish(world, recording, recording.readyAt);
  }
}

function requireRecording(world: World, recordId: string): Recording {
  const recording = world.recordings.find((stored) => stored.recordId === recordId);
  if (!recording) throw new ControlRefusal('There is no such recording.');
  return recording;
}
