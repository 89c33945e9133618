import type { Dependencies } from '../../../dependencies.ts';
import type { ProviderTextTrack } from '../../../providers/meet.ts';
import { findMeetingProvider } from '../../service-providers/index.ts';
import { requireAnswer } from '../sync/attempt.ts';
import type { RecordingRow } from '../store.ts';

/** The text tracks on the provider, each kind and language once. @throws 503 if the provider does not respond */
export async function readTextTracks(
  dependencies: Dependencies,
  { service_provider_id: providerId, provider_recording_id: recordingId }: RecordingRow,
): Promise<readonly ProviderTextTrack[]> {
  if (providerId === null) return [];
  const message = 'The meeting server did not return the text tracks. Please try again later.';
  const tracks = await requireAnswer(message, async () => {
    const adapter = await findMeetingProvider(dependencies, providerId);
    return (await adapter?.textTracks?.(recordingId)) ?? [];
  });
  return tracks.filter(
    ({ kind, language }, index, all) =>
      all.findIndex((other) => other.kind === kind && other.language === language) === index,
  );
}
