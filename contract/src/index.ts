import { accountEndpoints } from './account.ts';
import { addressEndpoints } from './address.ts';
import { adminEndpoints } from './admin.ts';
import { auditEndpoints } from './audit.ts';
import { authEndpoints } from './auth.ts';
import { customerEndpoints } from './customer.ts';
import { featureEndpoints } from './feature-catalogue.ts';
import { invitationEndpoints } from './invitation.ts';
import { legalDocumentEndpoints } from './legal-document.ts';
import { accountUserEndpoints, customerUserEndpoints, roomUserEndpoints } from './membership.ts';
import { meetingEndpoints } from './meeting.ts';
import { oauthClientEndpoints } from './oauth-client.ts';
import { oauthTokenEndpoints } from './oauth-token.ts';
import { oauthEndpoints } from './oauth.ts';
import { passwordResetEndpoints } from './password-reset.ts';
import { personalAccessTokenEndpoints } from './personal-access-token.ts';
import { recordingEndpoints } from './recording.ts';
import { reportEndpoints } from './report.ts';
import { roleEndpoints } from './role.ts';
import { roomAccessCodeEndpoints, roomEndpoints } from './room.ts';
import { roomEntryEndpoints } from './room-entry.ts';
import { roomTokenBatchEndpoints, roomTokenEndpoints } from './room-token.ts';
import { servicePackageEndpoints } from './service-package.ts';
import { serviceProviderEndpoints } from './service-provider.ts';
import { settingEndpoints } from './setting.ts';
import { subscriptionEndpoints } from './subscription.ts';
import { telephoneEndpoints } from './telephone.ts';
import { twoFactorEndpoints } from './two-factor.ts';
import { userEndpoints } from './user.ts';

/** Every operation of the API by its name. */
export const endpoints = {
  ...authEndpoints,
  ...oauthEndpoints,
  ...oauthClientEndpoints,
  ...personalAccessTokenEndpoints,
  ...oauthTokenEndpoints,
  ...adminEndpoints,
  ...roleEndpoints,
  ...twoFactorEndpoints,
  ...settingEndpoints,
  ...featureEndpoints,
  ...serviceProviderEndpoints,
  ...servicePackageEndpoints,
  ...customerEndpoints,
  ...customerUserEndpoints,
  ...addressEndpoints,
  ...telephoneEndpoints,
  ...legalDocumentEndpoints,
  ...userEndpoints,
  ...subscriptionEndpoints,
  ...accountEndpoints,
  ...accountUserEndpoints,
  ...roomEndpoints,
  ...roomUserEndpoints,
  ...roomTokenEndpoints,
  ...roomTokenBatchEndpoints,
  ...roomAccessCodeEndpoints,
  ...recordingEndpoints,
  ...roomEntryEndpoints,
  ...meetingEndpoints,
  ...invitationEndpoints,
  ...passwordResetEndpoints,
  ...auditEndpoints,
  ...reportEndpoints,
};

export type EndpointName = keyof typeof endpoints;
