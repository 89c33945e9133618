import { useEffect, useState } from 'react';

/** @returns milliseconds since 1970, updated at an interval */
export function useNow(everyMs = 30_000): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return nowMs;
}
