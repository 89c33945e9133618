import { unavailable } from '../../../platform/failures.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';

/** Returns the answer of the provider or its failure. Throws other errors. */
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

/** Returns the answer of the provider. @throws 503 with the message if the provider fails */
export async function requireAnswer<Answer>(message: string, send: () => Promise<Answer>): Promise<Answer> {
  const outcome = await attempt(send);
  if ('failure' in outcome) throw unavailable('provider-unavailable', message, { cause: outcome.failure });
  return outcome.answer;
}
