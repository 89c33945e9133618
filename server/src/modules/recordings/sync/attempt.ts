import type { Dependencies } from '../../../dependencies.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { MeetingProvider } from '../../../providers/meet.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { findProvider } from '../../meetings/index.ts';
import { meetingProvider } from '../../service-providers/index.ts';

/** The adapter of the provider; null if the provider was deleted. */
export async function providerNamed(dependencies: Dependencies, id: Uuid): Promise<MeetingProvider | null> {
  const provider = await findProvider(dependencies.db, id);
  return provider ? await meetingProvider(dependencies, provider) : null;
}

/** The answer of the provider, or its failure. Other errors are thrown. */
export async function attempt<Answer>(
  send: () => Promise<Answer>,
): Promise<{ readonly answer: Answer } | { readonly failure: ProviderFailure }> {
  try {
    return { answer: await send() };
  } catch (error) {
    if (error instanceof ProviderFailure) return { failure: error };
    throw error;
  }
}
