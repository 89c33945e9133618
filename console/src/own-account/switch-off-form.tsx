import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { words } from '../fields/words.ts';
import { useSubmission } from '../form/use-submission.ts';
import { RefusalAlert } from '../layout/notices.tsx';
import { client } from '../platform.ts';

export function SwitchOffForm({ onCancel, onDone }: { readonly onCancel: () => void; readonly onDone: () => void }) {
  const submission = useSubmission();
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        submission.run(async () => {
          const body = { password: words(data.get('password')), code: words(data.get('code')).trim() };
          await client.disableTwoFactor({ body });
          onDone();
        }, event.currentTarget);
      }}
    >
      <Stack>
        <RefusalAlert error={submission.strayFailure('password', 'code')} />
        <Text c="dimmed">The password alone signs you in from then on, and the recovery codes end.</Text>
        <PasswordInput
          name="password"
          label="Your password"
          autoComplete="current-password"
          error={submission.faultOf('password')}
          aria-invalid={submission.faultOf('password') !== null}
          errorProps={{ role: 'alert' }}
          data-autofocus
        />
        <TextInput
          name="code"
          label="Code from the app, or a recovery code"
          autoComplete="one-time-code"
          error={submission.faultOf('code')}
          errorProps={{ role: 'alert' }}
          classNames={{ input: 'code-input' }}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Keep it on
          </Button>
          <Button type="submit" color="red" loading={submission.isBusy}>
            Switch off
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
