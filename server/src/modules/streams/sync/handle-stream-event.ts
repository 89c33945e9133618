import type { Dependencies } from '../../../dependencies.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { MediaEvent } from '../../../providers/media.ts';
import { admitEncoder } from '../sessions/admit-encoder.ts';
import { applyReport } from '../sessions/apply-report.ts';

export type StreamEvent = Extract<MediaEvent, { type: 'stream.publish' | 'stream.changed' }>;

/**
 * Handles a request or report of a media server about a stream. The caller has verified its signature.
 * @returns the body of the answer: for `stream.publish` `{allow: true, session, stream}` or `{allow: false, code,
 * message}`
 */
export async function handleStreamEvent(
  dependencies: Dependencies,
  { id: providerId }: { readonly id: Uuid },
  event: StreamEvent,
): Promise<object> {
  if (event.type === 'stream.publish') return await admitEncoder(dependencies, providerId, event);
  await applyReport(dependencies, providerId, event.stream);
  return {};
}
