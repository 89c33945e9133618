import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { LoadingNotice } from './layout/notices.tsx';
import { queryClient } from './platform.ts';
import { router } from './router.tsx';
import { CallerProvider } from './session/caller.tsx';
import { currentSession, type Session, subscribeToSession } from './session/session.ts';
import { SignInScreen } from './session/sign-in-screen.tsx';
import { cssVariables, theme } from './theme.ts';

export function App() {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <Notifications position="bottom-right" autoClose={5000} />
      <QueryClientProvider client={queryClient}>
        <SessionGate />
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** The address stays as it is while somebody signs in: they arrive where they wanted to go. */
function SessionGate() {
  const session = useSyncExternalStore(subscribeToSession, currentSession);
  useEffect(() => {
    if (session.state === 'anonymous') queryClient.clear();
  }, [session.state]);
  return gateFor(session);
}

function gateFor(session: Session) {
  if (session.state === 'unknown') return <LoadingNotice />;
  if (session.state === 'anonymous') return <SignInScreen reason={session.reason} />;
  return (
    <CallerProvider>
      <RouterProvider router={router} />
    </CallerProvider>
  );
}
