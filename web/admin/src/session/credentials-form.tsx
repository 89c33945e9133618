import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useRef } from 'react';
import { toText } from '../../../kit/format/to-text.ts';
import type { Submission } from '../../../kit/api/use-submission.ts';
import type { Credentials } from '../../../kit/api/session.ts';
import { SignInFrame } from './sign-in-frame.tsx';
import { SignInRefusal } from './sign-in-refusal.tsx';

const greetings = {
  'signed-out': 'You have signed out.',
  expired: 'Your session has ended. Sign in to continue where you left off.',
};

interface Props {
  readonly reason: 'signed-out' | 'expired' | null;
  readonly username: string;
  readonly submission: Submission;
  readonly onSubmit: (credentials: Credentials) => void;
  readonly onForgot: (username: string) => void;
}

export function CredentialsForm({ reason, username, submission, onSubmit, onForgot }: Props) {
  const nameInput = useRef<HTMLInputElement>(null);
  return (
    <SignInFrame title="Sign in to Foyer" summary="The console for administrators.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          onSubmit({ username: toText(data.get('username')).trim(), password: toText(data.get('password')) });
        }}
      >
        <Stack>
          {submission.failure ? (
            <SignInRefusal failure={submission.failure} />
          ) : (
            reason && (
              <Alert color="gray" variant="light" role="status">
                {greetings[reason]}
              </Alert>
            )
          )}
          <TextInput
            ref={nameInput}
            name="username"
            label="User name or email"
            defaultValue={username}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            required
            withAsterisk={false}
            autoFocus={username === ''}
            size="md"
          />
          <PasswordInput
            name="password"
            label="Password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            autoFocus={username !== ''}
            size="md"
          />
          <Button type="submit" loading={submission.isBusy} size="md" mt={4} fullWidth>
            Sign in
          </Button>
          <button
            type="button"
            className="text-button"
            style={{ alignSelf: 'center' }}
            onClick={() => onForgot(nameInput.current?.value.trim() ?? '')}
          >
            Forgot password?
          </button>
        </Stack>
      </form>
    </SignInFrame>
  );
}
