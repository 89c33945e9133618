import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use } from 'react';
import type { EndpointAnswer } from '@foyer/sdk';
import { FailureNotice, LoadingNotice } from '../../../kit/display/notices/notices.tsx';
import { mayCall } from '../../../kit/api/may-call.ts';
import { client } from '../../../kit/api/client.ts';
import { AppProvider } from '../../../kit/noun/app.tsx';
import { rememberFeedPosition } from '../live/event-feed.ts';
import { nounIndex } from '../nouns/nouns.ts';

export type CallingAdmin = EndpointAnswer<'readCallingAdmin'>['data'];

const CallerContext = createContext<CallingAdmin | null>(null);

export function CallerProvider({ children }: { readonly children: ReactNode }) {
  const caller = useQuery({
    queryKey: ['readCallingAdmin'],
    queryFn: readCaller,
    // Never removed, because the page stays open while an expired session is renewed by a new sign-in.
    gcTime: Infinity,
  });
  if (caller.data)
    return (
      <AppProvider nouns={nounIndex} permissions={caller.data.data.permissions}>
        <CallerContext value={caller.data.data}>{children}</CallerContext>
      </AppProvider>
    );
  if (caller.error) return <FailureNotice error={caller.error} onRetry={() => void caller.refetch()} />;
  return <LoadingNotice />;
}

/**
 * Reads the caller. Also lists tokens, only to fail with `second-factor-enrollment-required`, which opens the set-up
 * page: without the required second factor, an administrator can read the caller but call little else.
 */
async function readCaller({ signal }: { readonly signal: AbortSignal }) {
  const [caller] = await Promise.all([
    client.readCallingAdmin({ signal }),
    client.listOauthTokens({ query: { limit: 1, count: false }, signal }),
  ]);
  // So that the feed begins before the first page reads its data.
  if (mayCall('listEvents', caller.data.permissions)) await rememberFeedPosition();
  return caller;
}

export function useCaller(): CallingAdmin {
  const caller = use(CallerContext);
  if (caller === null) throw new Error('useCaller is called outside of CallerProvider');
  return caller;
}
