import { Button, Stack, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { Submission } from '../../../kit/api/use-submission.ts';
import { SignInFrame } from './sign-in-frame.tsx';
import { SignInRefusal } from './sign-in-refusal.tsx';

interface Props {
  readonly submission: Submission;
  readonly onCode: (code: string) => void;
  readonly onBack: () => void;
}

const kinds = {
  app: {
    summary: 'Enter the six digits that your authenticator app shows.',
    label: 'Code',
    switchLabel: 'Use a recovery code instead',
  },
  recovery: {
    summary: 'Enter one of the codes that you saved when you set up two-factor sign-in. Each works once.',
    label: 'Recovery code',
    switchLabel: 'Use the authenticator app instead',
  },
};

export function CodeForm({ submission, onCode, onBack }: Props) {
  const [kind, setKind] = useState<keyof typeof kinds>('app');
  const input = useRef<HTMLInputElement>(null);
  const { failure } = submission;
  const fault = submission.faultOf('otp');

  // Clears a rejected code.
  useEffect(() => {
    if (failure === null) return;
    if (input.current) input.current.value = '';
    input.current?.focus();
  }, [failure]);

  function submitIfComplete(text: string): void {
    if (kind === 'app' && /^\d{6}$/.test(text.replaceAll(/\s/g, ''))) onCode(text);
  }

  return (
    <SignInFrame
      title="One more step"
      summary={kinds[kind].summary}
      foot="If you have lost the app and the codes, another administrator can reset your second factor."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onCode(input.current?.value ?? '');
        }}
      >
        <Stack>
          {fault === null && failure !== null && <SignInRefusal failure={failure} />}
          <TextInput
            key={kind}
            ref={input}
            name="otp"
            label={kinds[kind].label}
            error={fault}
            errorProps={{ role: 'alert' }}
            onChange={(event) => submitIfComplete(event.currentTarget.value)}
            autoComplete="one-time-code"
            inputMode={kind === 'app' ? 'numeric' : 'text'}
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={kind === 'app' ? 7 : 50}
            required
            withAsterisk={false}
            autoFocus
            size="md"
            classNames={{ input: 'code-input' }}
          />
          <Button type="submit" loading={submission.isBusy} size="md" mt={4} fullWidth>
            Sign in
          </Button>
          <Stack gap={4} align="center">
            <button
              type="button"
              className="text-button"
              onClick={() => {
                submission.forget();
                setKind(kind === 'app' ? 'recovery' : 'app');
              }}
            >
              {kinds[kind].switchLabel}
            </button>
            <button type="button" className="text-button" onClick={onBack}>
              Back
            </button>
          </Stack>
        </Stack>
      </form>
    </SignInFrame>
  );
}
