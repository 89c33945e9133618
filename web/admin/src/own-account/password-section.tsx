import { Button, PasswordInput, Stack } from '@mantine/core';
import { toText } from '../../../kit/format/to-text.ts';
import { useSubmission } from '../../../kit/api/use-submission.ts';
import { RefusalAlert } from '../../../kit/display/notices/notices.tsx';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useCaller } from '../session/caller.tsx';
import { Section } from './section.tsx';

const formId = 'change-password';

export function PasswordSection() {
  const { username } = useCaller();
  const submission = useSubmission();
  return (
    <Section
      title="Password"
      summary="A new password ends all your other sessions."
      foot={
        <Button type="submit" form={formId} loading={submission.isBusy}>
          Change password
        </Button>
      }
    >
      <form
        id={formId}
        className="panel-body"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const data = new FormData(form);
          submission.run(async () => {
            const [current, next] = [toText(data.get('current_password')), toText(data.get('password'))];
            await client.changeCallingAdminPassword({ body: { current_password: current, password: next } });
            form.reset();
            showDone('Your password has been changed. Every other session has ended.');
            await refreshEverything();
          }, event.currentTarget);
        }}
      >
        <Stack maw={400}>
          <RefusalAlert error={submission.failureOutsideFields('current_password', 'password')} />
          <input type="hidden" name="username" value={username} autoComplete="username" />
          <PasswordInput
            name="current_password"
            label="Current password"
            autoComplete="current-password"
            error={submission.faultOf('current_password')}
            aria-invalid={submission.faultOf('current_password') !== null}
            errorProps={{ role: 'alert' }}
          />
          <PasswordInput
            name="password"
            label="New password"
            description="12 to 128 characters, and not a common password. Several unrelated words are easy to remember."
            autoComplete="new-password"
            error={submission.faultOf('password')}
            aria-invalid={submission.faultOf('password') !== null}
            errorProps={{ role: 'alert' }}
          />
        </Stack>
      </form>
    </Section>
  );
}
