import { RouterProvider } from '@tanstack/react-router';
import { router } from './router.tsx';
import { CallerProvider } from './session/caller.tsx';

/** What a signed-in administrator sees; the sign-in page does not load it. */
export function Workplace() {
  return (
    <CallerProvider>
      <RouterProvider router={router} />
    </CallerProvider>
  );
}
