import { Button, Group, Text } from '@mantine/core';
import { IconCloudOff } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { checkReachability, useIsReachable } from './reachability.ts';
import './unreachable-notice.css';

/** Shows that the server cannot be reached, and retries automatically. @param onBack runs when it responds again */
export function UnreachableNotice({ onBack }: { readonly onBack: () => void }) {
  return useIsReachable() ? null : <Retry onBack={onBack} />;
}

const maxWaitSeconds = 30;

function Retry({ onBack }: { readonly onBack: () => void }) {
  const [attempt, setAttempt] = useState(0);
  const [isTrying, setTrying] = useState(false);

  async function retry(): Promise<void> {
    setTrying(true);
    if (await checkReachability()) return onBack();
    setTrying(false);
    setAttempt((before) => before + 1);
  }

  useEffect(() => {
    const waitMs = Math.min(2 ** attempt * 3, maxWaitSeconds) * 1000;
    const timer = setTimeout(() => void retry(), waitMs);
    const retryNow = () => void retry();
    window.addEventListener('online', retryNow);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('online', retryNow);
    };
  });

  return (
    <div className="unreachable" role="alert">
      <Group gap="sm" wrap="nowrap" justify="center">
        <IconCloudOff size={20} stroke={1.7} aria-hidden style={{ flexShrink: 0 }} />
        <Text fz="sm">
          <b>The server can’t be reached.</b> Check your network connection. Trying again automatically.
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          style={{ flexShrink: 0 }}
          loading={isTrying}
          onClick={() => void retry()}
        >
          Try now
        </Button>
      </Group>
    </div>
  );
}
