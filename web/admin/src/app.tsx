import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { createClient } from '@foyer/sdk';
import { Activity, Suspense, useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { UnreachableNotice } from '../../kit/api/unreachable-notice.tsx';
import { lazyPart } from '../../kit/display/lazy-part.tsx';
import { StartScreen } from './shell/start-screen.tsx';
import { queryClient, refreshEverything } from '../../kit/api/client.ts';
import type { CallingAdmin } from './session/caller.tsx';
import { beginSession, currentSession, resumeSession, subscribeToSession } from '../../kit/api/session.ts';
import { SignInScreen } from './session/sign-in-screen.tsx';
import { cssVariables, theme } from '../../kit/theme/theme.ts';

const loadConsole = () => import('./signed-in-console.tsx');
const SignedInConsole = lazyPart(async () => (await loadConsole()).SignedInConsole);
const Toasts = lazyPart(async () => (await import('../../kit/display/notices/toasts-view.tsx')).Toasts);
const EnrollmentScreen = lazyPart(async () => (await import('./session/enrollment-screen.tsx')).EnrollmentScreen);

export function App() {
  useLayoutEffect(() => document.getElementById('start')?.remove(), []);
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <SessionGate />
        <UnreachableNotice onBack={resume} />
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** The URL does not change during sign-in. After a session has expired, the screens keep their input. */
function SessionGate() {
  const session = useSyncExternalStore(subscribeToSession, currentSession);
  const [consoleKey, setConsoleKey] = useState(0);
  const isExpired = session.state === 'anonymous' && session.reason === 'expired';
  const isSignedOut = session.state === 'anonymous' && !isExpired;
  useEffect(() => {
    if (isSignedOut) queryClient.clear();
  }, [isSignedOut]);

  // Prefetches the signed-in screens while the user types the password.
  useEffect(() => {
    if (currentSession().state !== 'anonymous') preloadConsole();
    window.addEventListener('input', preloadConsole, { once: true });
    return () => window.removeEventListener('input', preloadConsole);
  }, []);

  async function begin(token: string): Promise<void> {
    const previousCaller = lastCaller();
    if (previousCaller === null || previousCaller.id !== (await readCallerOf(token)).id) {
      queryClient.clear();
      setConsoleKey(consoleKey + 1);
    }
    beginSession(token);
    await refreshEverything();
  }

  if (session.state === 'unknown') return <StartScreen />;
  const isSignedIn = session.state === 'present' && !session.mustEnroll;
  return (
    <>
      {!isSignedOut && (
        <Activity key={consoleKey} mode={isSignedIn ? 'visible' : 'hidden'}>
          <Suspense fallback={<StartScreen />}>
            <SignedInConsole />
          </Suspense>
        </Activity>
      )}
      {session.state === 'anonymous' && (
        <SignInScreen
          key={session.reason}
          reason={session.reason}
          username={lastCaller()?.username ?? null}
          onSignedIn={begin}
        />
      )}
      {session.state === 'present' && (
        <>
          <Suspense>
            <Toasts />
          </Suspense>
          <Suspense fallback={<StartScreen />}>{session.mustEnroll && <EnrollmentScreen />}</Suspense>
        </>
      )}
    </>
  );
}

/** Refetches queries that failed while the server was unreachable. */
function resume(): void {
  if (currentSession().state === 'unknown') void resumeSession();
  else void refreshEverything();
}

/** A failed download is reported when the console is rendered. */
function preloadConsole(): void {
  void loadConsole().catch(() => null);
}

/** The administrator whose data are in the cache, or null. */
function lastCaller(): CallingAdmin | null {
  return queryClient.getQueryData<{ readonly data: CallingAdmin }>(['readCallingAdmin'])?.data ?? null;
}

async function readCallerOf(token: string): Promise<CallingAdmin> {
  const { data } = await createClient({ baseUrl: window.location.origin, token }).readCallingAdmin();
  return data;
}
