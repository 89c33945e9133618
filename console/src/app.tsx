import { MantineProvider } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
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
    <Notifications position={isNarrow ? 'top-center' : 'bottom-left'} autoClose={4000} limit={3} containerWidth={340} />
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
