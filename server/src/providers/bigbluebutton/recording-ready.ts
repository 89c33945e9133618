import { errors, jwtVerify } from 'jose';
import type { RecordingReady } from '../meet.ts';

/** A Scalelite signs with the algorithm of its checksums. */
const algorithms = ['HS256', 'HS384', 'HS512'];

/**
 * The `signed_parameters` with which a server calls when a recording is ready: a token without an end, so that it says
 * nothing but that the server once signed it. Null for what it did not sign.
 */
export async function readRecordingReady(secret: string, signed: string): Promise<RecordingReady | null> {
  if (signed.length > 4096) return null;
  try {
    const { payload } = await jwtVerify(signed, new TextEncoder().encode(secret), { algorithms });
    const { meeting_id: meetingId, record_id: recordingId } = payload;
    return typeof meetingId === 'string' && typeof recordingId === 'string' ? { meetingId, recordingId } : null;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
