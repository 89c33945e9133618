import { notifications } from '@mantine/notifications';
import { describeFailure } from '../platform.ts';

export function showDone(message: string): void {
  notifications.show({ message, color: 'pine', withBorder: true });
}

export function showFailure(error: unknown): void {
  notifications.show({ message: describeFailure(error), color: 'red', withBorder: true, autoClose: 8000 });
}
