import { TwoFactorSetup } from '../own-account/two-factor-setup.tsx';
import { refreshEverything } from '../../../kit/api/client.ts';
import { showFailure } from '../../../kit/display/notices/toasts.ts';
import { requireEnrollment, signOut } from '../../../kit/api/session.ts';
import { SignInFrame } from './sign-in-frame.tsx';

/** If the platform requires a second factor, nothing else is available until it is set up. */
export function EnrollmentScreen() {
  async function continueToConsole(): Promise<void> {
    requireEnrollment(false);
    await refreshEverything();
  }
  return (
    <SignInFrame
      title="Set up two-factor sign-in"
      summary="This platform requires it for administrators. It takes about a minute."
      width={560}
      foot={
        <button type="button" className="text-button" onClick={() => void signOut().catch(showFailure)}>
          Sign out
        </button>
      }
    >
      <TwoFactorSetup doneLabel="Continue" onDone={() => void continueToConsole()} />
    </SignInFrame>
  );
}
