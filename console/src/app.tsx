import { MantineProvider } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createClient } from '@foyer/sdk';
import { Activity, useEffect, useState, useSyncExternalStore } from 'react';
import { LoadingNotice } from './layout/notices.tsx';
import { queryClient, refreshEverything } from './platform.ts';
import { router } from './router.tsx';
import { type CallingAdmin, CallerProvider } from './session/caller.tsx';
import { EnrollmentScreen } from './session/enrollment-screen.tsx';
import { beginSession, currentSession, subscribeToSession } from './session/session.ts';
import { SignInScreen } from './session/sign-in-screen.tsx';
import { cssVariables, theme } from './theme.ts';

export function App() {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <Toasts />
      <QueryClientProvider client={queryClient}>
        <SessionGate />
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** Where they cover nothing that is pressed next: away from the actions of pages and forms. */
function Toasts() {
  const isNarrow = useMediaQuery('(max-width: 48em)');
  return (
    <Notifications
      position={isNarrow ? 'top-center' : 'bottom-center'}
      autoClose={4000}
      limit={3}
      containerWidth={340}
    />
  );
}

/**
 * The address stays as it is while somebody signs in: they arrive where they wanted to go. Whose session has merely
 * ended finds the page as it was left, with what was typed into it.
 */
function SessionGate() {
  const session = useSyncExternalStore(subscribeToSession, currentSession);
  const [visit, setVisit] = useState(0);
  const isExpired = session.state === 'anonymous' && session.reason === 'expired';
  const isGone = session.state === 'anonymous' && !isExpired;
  useEffect(() => {
    if (isGone) queryClient.clear();
  }, [isGone]);

  async function begin(token: string): Promise<void> {
    const before = knownCaller();
    if (before === null || before.id !== (await readCallerOf(token)).id) {
      queryClient.clear();
      setVisit(visit + 1);
    }
    beginSession(token);
    await refreshEverything();
  }

  if (session.state === 'unknown') return <LoadingNotice />;
  const isAtWork = session.state === 'present' && !session.mustEnroll;
  return (
    <>
      {!isGone && (
        <Activity key={visit} mode={isAtWork ? 'visible' : 'hidden'}>
          <CallerProvider>
            <RouterProvider router={router} />
          </CallerProvider>
        </Activity>
      )}
      {session.state === 'anonymous' && (
        <SignInScreen
          key={session.reason}
          reason={session.reason}
          username={knownCaller()?.username ?? null}
          onSignedIn={begin}
        />
      )}
      {session.state === 'present' && session.mustEnroll && <EnrollmentScreen />}
    </>
  );
}

/** Who was signed in last, while their page is kept. */
function knownCaller(): CallingAdmin | null {
  return queryClient.getQueryData<{ readonly data: CallingAdmin }>(['readCallingAdmin'])?.data ?? null;
}

async function readCallerOf(token: string): Promise<CallingAdmin> {
  const { data } = await createClient({ baseUrl: window.location.origin, token }).readCallingAdmin();
  return data;
}
