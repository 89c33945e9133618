import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { toText } from '../../../kit/format/to-text.ts';
import { useSubmission } from '../../../kit/api/use-submission.ts';
import { RefusalAlert } from '../../../kit/display/notices/notices.tsx';

interface Props {
  readonly sentence: string;
  readonly cancelLabel: string;
  readonly submitLabel: string;
  readonly color?: string;
  readonly onCancel: () => void;
  readonly onSubmit: (factors: { password: string; code: string }) => Promise<void>;
}

/** Asks for the password and a code before a change of the second factor. */
export function FactorsForm({ sentence, cancelLabel, submitLabel, color, onCancel, onSubmit }: Props) {
  const submission = useSubmission();
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        const factors = { password: toText(data.get('password')), code: toText(data.get('code')).trim() };
        submission.run(() => onSubmit(factors), event.currentTarget);
      }}
    >
      <Stack>
        <RefusalAlert error={submission.failureOutsideFields('password', 'code')} />
        <Text c="dimmed">{sentence}</Text>
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
            {cancelLabel}
          </Button>
          <Button type="submit" {...(color ? { color } : {})} loading={submission.isBusy}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
