import type { Dependencies } from '../../../dependencies.ts';
import { unavailable } from '../../../platform/failures.ts';
import type { ProviderTextTrack } from '../../../providers/meet.ts';
import { attempt, providerNamed } from '../sync/attempt.ts';
import type { RecordingRow } from '../store.ts';

/** The text tracks on the provider, each kind and language once. @throws 503 if it does not respond */
export async function textTracksOf(
  dependencies: Dependencies,
  { service_provider_id: providerId, provider_recording_id: recordingId }: RecordingRow,
): Promise<readonly ProviderTextTrack[]> {
  if (providerId === null) return [];
  const outcome = await attempt(async () => {
    const adapter = await providerNamed(dependencies, providerId);
    return (await adapter?.textTracks?.(recordingId)) ?? [];
  });
  if ('failure' in outcome)
    throw unavailable(
      'provider-unavailable',
      'The meeting server did not return the text tracks. Please try again later.',
      {
        cause: outcome.failure,
      },
    );
  return outcome.answer.filter(
    ({ kind, language }, index, all) =>
      all.findIndex((other) => other.kind === kind && other.language === language) === index,
  );
}
