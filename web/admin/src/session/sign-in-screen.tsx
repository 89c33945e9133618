import { useState } from 'react';
import { useSubmission } from '../../../kit/api/use-submission.ts';
import { showDone } from '../../../kit/display/notices/toasts.ts';
import { client, isRefusedFor } from '../../../kit/api/client.ts';
import { CodeForm } from './code-form.tsx';
import { CredentialsForm } from './credentials-form.tsx';
import { ForgotForm } from './forgot-form.tsx';
import { type Credentials, signIn } from '../../../kit/api/session.ts';

interface Props {
  readonly reason: 'signed-out' | 'expired' | null;
  /** The user name of the ended session, if known. */
  readonly username: string | null;
  readonly onSignedIn: (token: string) => Promise<void>;
}

/** Asks for user name and password, then for a code if the account has a second factor. */
export function SignInScreen({ reason, username, onSignedIn }: Props) {
  const [step, setStep] = useState<'credentials' | 'code' | 'forgot'>('credentials');
  const [credentials, setCredentials] = useState<Credentials>({ username: username ?? '', password: '' });
  const submission = useSubmission();

  async function attempt(entered: Credentials): Promise<void> {
    setCredentials(entered);
    try {
      await onSignedIn(await signIn(entered));
      if (entered.otp !== undefined && !isFromApp(entered.otp)) await showCodesLeft();
    } catch (error) {
      if (isRefusedFor('second-factor-required', error)) return setStep('code');
      if (isRefusedFor('wrong-credentials', error)) setStep('credentials');
      throw error;
    }
  }

  function show(next: 'credentials' | 'code' | 'forgot'): void {
    submission.forget();
    setStep(next);
  }

  if (step === 'forgot') return <ForgotForm name={credentials.username} onBack={() => show('credentials')} />;
  if (step === 'code') {
    return (
      <CodeForm
        submission={submission}
        onCode={(otp) => submission.run(() => attempt({ ...credentials, otp }))}
        onBack={() => show('credentials')}
      />
    );
  }
  return (
    <CredentialsForm
      reason={reason}
      username={credentials.username}
      submission={submission}
      onSubmit={(credentials) => submission.run(() => attempt(credentials))}
      onForgot={(name) => {
        setCredentials({ username: name, password: '' });
        show('forgot');
      }}
    />
  );
}

function isFromApp(code: string): boolean {
  return /^\d{6}$/.test(code.replaceAll(/\s/g, ''));
}

/** Shows how many recovery codes are left after one was used, and recommends new ones if there are few. */
async function showCodesLeft(): Promise<void> {
  try {
    const { data } = await client.readTwoFactor();
    const left = data.recovery_codes_left;
    showDone(
      left > 2
        ? `You signed in with a recovery code. ${left} are left.`
        : `You signed in with a recovery code. ${left === 0 ? 'None are' : left === 1 ? 'One is' : 'Two are'} left: create new ones in your account.`,
    );
  } catch {
    // The account page also shows how many are left.
  }
}
