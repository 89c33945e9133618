import { Skeleton, type SkeletonProps, Text } from '@mantine/core';
import { useIsReachable } from './reachability.ts';

/** Stands for what is still being loaded, as long as the server can be reached. */
export function Waiting(props: SkeletonProps) {
  if (useIsReachable()) return <Skeleton {...props} />;
  return (
    <Text component="div" c="dimmed" fz="sm">
      Not loaded
    </Text>
  );
}
