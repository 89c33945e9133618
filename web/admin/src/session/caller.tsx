import type { EndpointName } from '@foyer/contract';
import type { PermissionName } from '@foyer/contract/conventions/permissions.ts';
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use } from 'react';
import type { EndpointAnswer } from '@foyer/sdk';
import { FailureNotice, LoadingNotice } from '../../../kit/display/notices.tsx';
import { client } from '../../../kit/api/client.ts';
import { holds, mayCall } from '../../../kit/api/may-call.ts';

export type CallingAdmin = EndpointAnswer<'readCallingAdmin'>['data'];

const CallerContext = createContext<CallingAdmin | null>(null);

export function CallerProvider({ children }: { readonly children: ReactNode }) {
  const caller = useQuery({
    queryKey: ['readCallingAdmin'],
    queryFn: readCaller,
    // Whose page is kept while they sign in again must stay known.
    gcTime: Infinity,
  });
  if (caller.data) return <CallerContext value={caller.data.data}>{children}</CallerContext>;
  if (caller.error) return <FailureNotice error={caller.error} onRetry={() => void caller.refetch()} />;
  return <LoadingNotice />;
}

/** With a first look at something that stays shut until a second factor is set up, where the platform requires one. */
async function readCaller({ signal }: { readonly signal: AbortSignal }) {
  const [caller] = await Promise.all([
    client.readCallingAdmin({ signal }),
    client.listOauthTokens({ query: { limit: 1, count: false }, signal }),
  ]);
  return caller;
}

export function useCaller(): CallingAdmin {
  const caller = use(CallerContext);
  if (caller === null) throw new Error('There is no caller outside of CallerProvider');
  return caller;
}

/** Whether the caller may call the endpoint: what it may not is not shown. */
export function useMay(): (name: EndpointName) => boolean {
  const { permissions } = useCaller();
  return (name) => mayCall(name, permissions);
}

export function useHolds(): (permission: PermissionName) => boolean {
  const { permissions } = useCaller();
  return (permission) => holds(permissions, permission);
}
