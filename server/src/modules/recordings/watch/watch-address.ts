import type { Dependencies } from '../../../dependencies.ts';
import { findMeetingProvider } from '../../service-providers/index.ts';
import { requireAnswer } from '../sync/attempt.ts';
import { formatsOf } from './formats.ts';
import { decryptAddresses } from './playback-addresses.ts';
import type { RecordingRow } from '../store.ts';

/**
 * The secret address of the recording on its provider. A protected recording has one-time addresses, so each call
 * requests a new one. Null if the recording does not have the format.
 * @throws 503 if the provider does not respond
 */
export async function addressOf(
  dependencies: Dependencies,
  recording: RecordingRow,
  type: string,
): Promise<string | null> {
  if (!formatsOf(recording).some((format) => format.type === type)) return null;
  if (!recording.is_protected) return (await decryptAddresses(dependencies, recording))[type] ?? null;
  const { service_provider_id: providerId, provider_recording_id: recordingId } = recording;
  if (providerId === null) return null;
  const message = 'The meeting server did not return the recording. Please try again later.';
  const [listed] = await requireAnswer(message, async () => {
    const adapter = await findMeetingProvider(dependencies, providerId);
    return (await adapter?.recordings?.({ recordingIds: [recordingId] })) ?? [];
  });
  return listed?.playback.find((playback) => playback.type === type)?.url ?? null;
}
