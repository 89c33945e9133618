import { useMediaQuery } from '@mantine/hooks';
import { Notifications } from '@mantine/notifications';

/** Placed away from the buttons of pages and forms. */
export function Toasts() {
  const isNarrow = useMediaQuery('(max-width: 48em)');
  return (
    <Notifications
      position={isNarrow ? 'top-center' : 'bottom-center'}
      autoClose={4000}
      limit={3}
      containerWidth={340}
    />
  );
}
