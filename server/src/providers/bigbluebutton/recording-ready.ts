import { errors, jwtVerify } from 'jose';
import type { RecordingReady } from '../meet.ts';

/** A Scalelite signs with the algorithm of its checksums. */
const algorithms = ['HS256', 'HS384', 'HS512'];

/**
 * Reads the `signed_parameters` of a recording-ready callback. The token has no expiry, so it only proves that the
 * server signed it at some time. Null without a valid signature.
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
