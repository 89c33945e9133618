import { Alert } from '@mantine/core';
import { FoyerError } from '@foyer/sdk';
import { IconClockPause } from '@tabler/icons-react';
import { useState } from 'react';
import { formatCountdown } from '../../../kit/format/durations.ts';
import { formatTime } from '../../../kit/format/instants.ts';
import { RefusalAlert } from '../../../kit/display/notices/notices.tsx';
import { useNow } from '../../../kit/display/use-now.ts';

/** Why a sign-in was rejected; after too many attempts, also when the next attempt is possible. */
export function SignInRefusal({ failure }: { readonly failure: unknown }) {
  if (!(failure instanceof FoyerError) || failure.status !== 429 || failure.retryAfter === null) {
    return <RefusalAlert error={failure} />;
  }
  return <RetryCountdown key={failure.requestId} seconds={failure.retryAfter} />;
}

function RetryCountdown({ seconds }: { readonly seconds: number }) {
  const [untilMs] = useState(() => Date.now() + seconds * 1000);
  const leftSeconds = (untilMs - useNow(1000)) / 1000;
  if (leftSeconds <= 0) {
    return (
      <Alert color="gray" variant="light" role="status">
        You can try again now.
      </Alert>
    );
  }
  return (
    <Alert color="yellow" variant="light" icon={<IconClockPause size={18} />} title="Too many attempts" role="alert">
      Signing in is paused for your protection. Try again at {formatTime(untilMs)}
      <span aria-hidden="true">, in {formatCountdown(leftSeconds)}</span>.
    </Alert>
  );
}
