import { PageHeader } from '../../../kit/display/page-header.tsx';
import { NotificationsSection } from './notifications-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { ProfileSection } from './profile-section.tsx';
import { SessionsSection } from './sessions-section.tsx';
import { TokensSection } from './tokens-section.tsx';
import { TwoFactorSection } from './two-factor-section.tsx';

/** The caller's own profile, password and sessions. */
export function OwnAccountScreen() {
  return (
    <>
      <PageHeader title="Your account" summary="Your profile, sign-in, sessions, notifications and access tokens." />
      <div>
        <ProfileSection />
        <PasswordSection />
        <TwoFactorSection />
        <SessionsSection />
        <NotificationsSection />
        <TokensSection />
      </div>
    </>
  );
}
