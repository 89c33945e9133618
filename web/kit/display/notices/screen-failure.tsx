import { Button } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { Placeholder } from './notices.tsx';

/** Shown when the code of a screen cannot be loaded, for instance after an update of the platform. */
export function ScreenFailure() {
  return (
    <Placeholder
      title="This page could not be loaded"
      isPage
      icon={<IconAlertCircle stroke={1.4} />}
      action={
        <Button variant="default" onClick={() => window.location.reload()}>
          Reload
        </Button>
      }
    >
      Check your connection, then reload. The platform may also have been updated.
    </Placeholder>
  );
}
