import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { words } from '../fields/words.ts';
import { useSubmission } from '../form/use-submission.ts';
import { RefusalAlert } from '../layout/notices.tsx';
import { client } from '../platform.ts';

interface Props {
  readonly onCancel: () => void;
  readonly onRenewed: (codes: readonly string[]) => void;
}

export function RenewCodesForm({ onCancel, onRenewed }: Props) {
  const submission = useSubmission();
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const password = words(new FormData(event.currentTarget).get('password'));
        submission.run(async () => {
          const { data } = await client.renewRecoveryCodes({ body: { password } });
          onRenewed(data.recovery_codes);
        }, event.currentTarget);
      }}
    >
      <Stack>
        <RefusalAlert error={submission.strayFailure('password')} />
        <Text c="dimmed">Ten new codes take the place of all earlier ones, which then sign nobody in any more.</Text>
        <PasswordInput
          name="password"
          label="Your password"
          autoComplete="current-password"
          error={submission.faultOf('password')}
          aria-invalid={submission.faultOf('password') !== null}
          errorProps={{ role: 'alert' }}
          data-autofocus
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Keep as it is
          </Button>
          <Button type="submit" loading={submission.isBusy}>
            Make new codes
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
