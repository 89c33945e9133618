import { PageHeader } from '../layout/page-header.tsx';
import { PasswordSection } from '../own-account/password-section.tsx';
import { ProfileSection } from '../own-account/profile-section.tsx';
import { SessionsSection } from '../own-account/sessions-section.tsx';
import { TokensSection } from '../own-account/tokens-section.tsx';
import { TwoFactorSection } from '../own-account/two-factor-section.tsx';

/** What whoever is signed in decides about themselves. */
export function OwnAccountScreen() {
  return (
    <>
      <PageHeader title="Your account" summary="Who you are here, how you sign in, and what acts for you." />
      <div>
        <ProfileSection />
        <PasswordSection />
        <TwoFactorSection />
        <SessionsSection />
        <TokensSection />
      </div>
    </>
  );
}
