import { Alert, Button, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { toText } from '../../../kit/format/to-text.ts';
import { useSubmission } from '../../../kit/api/use-submission.ts';
import { requestPasswordReset } from '../../../kit/api/session.ts';
import { SignInFrame } from './sign-in-frame.tsx';
import { SignInRefusal } from './sign-in-refusal.tsx';

/** Requests a mail with a link to choose a new password. */
export function ForgotForm({ name, onBack }: { readonly name: string; readonly onBack: () => void }) {
  const [answer, setAnswer] = useState<string | null>(null);
  const submission = useSubmission();
  const fault = submission.faultOf('email');
  return (
    <SignInFrame title="Forgot your password?" summary="We will email you a link to choose a new one.">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const email = toText(new FormData(event.currentTarget).get('email')).trim();
          submission.run(async () => setAnswer(await requestPasswordReset(email)));
        }}
      >
        <Stack>
          {answer === null ? (
            <>
              {fault === null && submission.failure !== null && <SignInRefusal failure={submission.failure} />}
              <TextInput
                name="email"
                type="email"
                label="Email"
                error={fault}
                defaultValue={name.includes('@') ? name : ''}
                autoComplete="email"
                autoFocus
                size="md"
              />
              <Button type="submit" loading={submission.isBusy} size="md" mt={4} fullWidth>
                Send the link
              </Button>
            </>
          ) : (
            <Alert color="pine" variant="light" role="status">
              {answer}
            </Alert>
          )}
          <button type="button" className="text-button" style={{ alignSelf: 'center' }} onClick={onBack}>
            Back to sign-in
          </button>
        </Stack>
      </form>
    </SignInFrame>
  );
}
