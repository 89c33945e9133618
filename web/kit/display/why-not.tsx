import { Text } from '@mantine/core';

/** Why an item of a menu cannot be chosen now, below its name. */
export function WhyNot({ children }: { readonly children: string }) {
  return (
    <Text fz="xs" style={{ whiteSpace: 'normal' }}>
      {children}
    </Text>
  );
}
