import { Center, Loader, Stack } from '@mantine/core';
import { Logo } from './logo.tsx';

/** Shown while the session is looked up and the code of the console is loaded; `index.html` paints the same. */
export function StartScreen() {
  return (
    <Center mih="100dvh" role="status" aria-label="Loading">
      <Stack align="center" gap="lg">
        <Logo size={48} />
        <Loader size="sm" type="dots" />
      </Stack>
    </Center>
  );
}
