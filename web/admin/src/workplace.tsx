import { RouterProvider } from '@tanstack/react-router';
import { router } from './router.tsx';
import { LiveUpdates } from './live/live-updates.tsx';
import { CallerProvider } from './session/caller.tsx';

/** What a signed-in administrator sees; the sign-in page does not load it. */
export function Workplace() {
  return (
    <CallerProvider>
      <LiveUpdates />
      <RouterProvider router={router} />
    </CallerProvider>
  );
}
