import { Stack } from '@mantine/core';
import { PageHeader } from '../layout/page-header.tsx';
import { ProfilePanel } from '../own-account/profile-panel.tsx';

/** What whoever is signed in decides about themselves. */
export function OwnAccountScreen() {
  return (
    <Stack gap={0} maw={760}>
      <PageHeader title="Your account" summary="How you are called here, and how you sign in." />
      <ProfilePanel />
    </Stack>
  );
}
