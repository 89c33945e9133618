import { notifications } from '@mantine/notifications';
import { describeFailure } from '../../api/client.ts';

export function showDone(message: string): void {
  notifications.show({ message, color: 'pine', withBorder: true });
}

export function showFailure(error: unknown): void {
  notifications.show({ message: describeFailure(error), color: 'red', withBorder: true, autoClose: 8000 });
}
