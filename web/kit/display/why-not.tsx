import { Text } from '@mantine/core';

/** The reason why a menu item is disabled, shown below its name. */
export function WhyNot({ children }: { readonly children: string }) {
  return (
    <Text fz="xs" style={{ whiteSpace: 'normal' }}>
      {children}
    </Text>
  );
}
