import { accountEndpoints } from './resources/account.ts';
import { addressEndpoints } from './resources/address.ts';
import { adminEndpoints } from './resources/admin.ts';
import { auditEndpoints } from './resources/audit.ts';
import { authEndpoints } from './resources/auth.ts';
import { customerEndpoints } from './resources/customer.ts';
import { eventEndpoints } from './resources/event.ts';
import { featureEndpoints } from './resources/feature-catalogue.ts';
import { invitationEndpoints } from './resources/invitation.ts';
import { legalDocumentEndpoints } from './resources/legal-document.ts';
import { accountUserEndpoints, customerUserEndpoints, roomUserEndpoints } from './resources/membership.ts';
import { mailEndpoints } from './resources/mail.ts';
import { meetingEndpoints } from './resources/meeting.ts';
import { oauthClientEndpoints } from './resources/oauth-client.ts';
import { oauthTokenEndpoints } from './resources/oauth-token.ts';
import { oauthEndpoints } from './resources/oauth.ts';
import { outputEndpoints } from './resources/output.ts';
import { passwordResetEndpoints } from './resources/password-reset.ts';
import { personalAccessTokenEndpoints } from './resources/personal-access-token.ts';
import { recordingEndpoints } from './resources/recording.ts';
import { reportEndpoints } from './resources/report.ts';
import { roleEndpoints } from './resources/role.ts';
import { roomAccessCodeEndpoints, roomEndpoints } from './resources/room.ts';
import { roomEntryEndpoints } from './resources/room-entry.ts';
import { roomInvitationEndpoints } from './resources/room-invitation.ts';
import { roomTokenBatchEndpoints, roomTokenEndpoints } from './resources/room-token.ts';
import { servicePackageEndpoints } from './resources/service-package.ts';
import { serviceProviderEndpoints } from './resources/service-provider.ts';
import { settingEndpoints } from './resources/setting.ts';
import { streamEndpoints } from './resources/stream.ts';
import { subscriptionEndpoints } from './resources/subscription.ts';
import { telephoneEndpoints } from './resources/telephone.ts';
import { twoFactorEndpoints } from './resources/two-factor.ts';
import { userEndpoints } from './resources/user.ts';
import { videoEndpoints } from './resources/video.ts';
import { webhookEndpoints } from './resources/webhook.ts';

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
  ...roomInvitationEndpoints,
  ...roomAccessCodeEndpoints,
  ...recordingEndpoints,
  ...videoEndpoints,
  ...streamEndpoints,
  ...outputEndpoints,
  ...roomEntryEndpoints,
  ...meetingEndpoints,
  ...invitationEndpoints,
  ...passwordResetEndpoints,
  ...mailEndpoints,
  ...eventEndpoints,
  ...webhookEndpoints,
  ...auditEndpoints,
  ...reportEndpoints,
};

export type EndpointName = keyof typeof endpoints;
