import { RouterProvider } from '@tanstack/react-router';
import { router } from './router.tsx';
import { LiveUpdates } from './live/live-updates.tsx';
import { CallerProvider } from './session/caller.tsx';

/** The console of a signed-in administrator. Not loaded on the sign-in page. */
export function SignedInConsole() {
  return (
    <CallerProvider>
      <LiveUpdates />
      <RouterProvider router={router} />
    </CallerProvider>
  );
}
