import { type Client, createClient, type EndpointName, FoyerError, type LooseInput } from '@foyer/sdk';
import { QueryCache, QueryClient } from '@tanstack/react-query';
import { watchedFetch } from './reachability.ts';
import { EditConflict } from '../concurrency/edit-conflict.ts';
import { durationOf } from '../format/durations.ts';
import { withFieldLabels } from '../format/sentences.ts';
import { currentToken, renewToken, requireEnrollment } from './session.ts';

/** The API client. */
export const client: Client = createClient({
  baseUrl: window.location.origin,
  token: currentToken,
  onUnauthenticated: renewToken,
  fetch: watchedFetch,
});

/** Calls an endpoint whose name is only known at run time. */
export function callEndpoint(name: EndpointName, input: LooseInput = {}): Promise<unknown> {
  return (client[name] as (input: LooseInput) => Promise<unknown>)(input);
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error) {
      if (isRefusedFor('second-factor-enrollment-required', error)) requireEnrollment(true);
    },
  }),
  defaultOptions: {
    // Without `networkMode`, requests of an offline browser wait forever instead of failing.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 5000,
      retry: (failures, error) =>
        isRefusedFor('too-many-at-once', error)
          ? failures < 10
          : failures < 2 && !(error instanceof FoyerError && error.status < 500),
      // A page sends more requests at the same time than a caller may have. A slot is free as soon as one has ended.
      retryDelay: (failures, error) =>
        isRefusedFor('too-many-at-once', error) ? 200 * (failures + 1) : Math.min(1000 * 2 ** failures, 30_000),
      refetchOnWindowFocus: true,
    },
  },
});

/** Refreshes all queries, because a change can affect any of them: totals, names, usage. */
export function refreshEverything(): Promise<void> {
  return queryClient.invalidateQueries();
}

export function isRefusedFor(code: string, error: unknown): boolean {
  return error instanceof FoyerError && error.code === code;
}

/** The allowed actions, if the state of a resource did not allow the request. */
export function allowedMovesOf(error: unknown): readonly string[] {
  return (error instanceof FoyerError ? error.errors['allowed_moves'] : undefined) ?? [];
}

/** A failure as one helpful sentence. */
export function describeFailure(error: unknown): string {
  if (error instanceof EditConflict) return error.message;
  if (!(error instanceof FoyerError)) {
    return error instanceof TypeError
      ? 'The server can’t be reached. Check your network connection, then try again.'
      : 'Something went wrong. Reload the page and try again.';
  }
  if (error.status === 429 && error.retryAfter !== null) {
    return `${withFieldLabels(error.message)} Try again in ${durationOf(error.retryAfter)}.`;
  }
  if (error.status >= 500 && error.requestId !== null)
    return `${withFieldLabels(error.message)} (Request ${error.requestId})`;
  return withFieldLabels(error.message);
}
