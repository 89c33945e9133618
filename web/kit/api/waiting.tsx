import { Skeleton, type SkeletonProps, Text } from '@mantine/core';
import { useIsReachable } from './reachability.ts';

/** Placeholder while data loads and the server is reachable. */
export function Waiting(props: SkeletonProps) {
  if (useIsReachable()) return <Skeleton {...props} />;
  return (
    <Text component="div" c="dimmed" fz="sm">
      Not loaded
    </Text>
  );
}
