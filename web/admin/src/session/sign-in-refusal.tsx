import { Alert } from '@mantine/core';
import { FoyerError } from '@foyer/sdk';
import { IconClockPause } from '@tabler/icons-react';
import { useState } from 'react';
import { clockOf } from '../../../kit/format/durations.ts';
import { formatTime } from '../../../kit/format/instants.ts';
import { RefusalAlert } from '../../../kit/display/notices/notices.tsx';
import { useNow } from '../../../kit/display/use-now.ts';

/** Why a sign-in was rejected; after too many attempts, with the time of the next one. */
export function SignInRefusal({ failure }: { readonly failure: unknown }) {
  if (!(failure instanceof FoyerError) || failure.status !== 429 || failure.retryAfter === null) {
    return <RefusalAlert error={failure} />;
  }
  return <Waiting key={failure.requestId} seconds={failure.retryAfter} />;
}

function Waiting({ seconds }: { readonly seconds: number }) {
  const [until] = useState(() => Date.now() + seconds * 1000);
  const left = (until - useNow(1000)) / 1000;
  if (left <= 0) {
    return (
      <Alert color="gray" variant="light" role="status">
        You can try again now.
      </Alert>
    );
  }
  return (
    <Alert color="yellow" variant="light" icon={<IconClockPause size={18} />} title="Too many attempts" role="alert">
      Signing in is paused for your protection. Try again at {formatTime(until)}
      <span aria-hidden="true">, in {clockOf(left)}</span>.
    </Alert>
  );
}
