import { accountEndpoints } from './resources/customers/account.ts';
import { addressEndpoints } from './resources/customers/address.ts';
import { adminEndpoints } from './resources/administrators/admin.ts';
import { auditEndpoints } from './resources/events/audit.ts';
import { authEndpoints } from './resources/auth/auth.ts';
import { customerEndpoints } from './resources/customers/customer.ts';
import { eventEndpoints } from './resources/events/event.ts';
import { featureEndpoints } from './resources/packages/feature-catalogue.ts';
import { invitationEndpoints } from './resources/users/invitation.ts';
import { legalDocumentEndpoints } from './resources/customers/legal-document.ts';
import { accountUserEndpoints, customerUserEndpoints, roomUserEndpoints } from './resources/users/membership.ts';
import { mailEndpoints } from './resources/platform/mail.ts';
import { meetingEndpoints } from './resources/meetings/meeting.ts';
import { oauthClientEndpoints } from './resources/auth/oauth-client.ts';
import { oauthTokenEndpoints } from './resources/auth/oauth-token.ts';
import { oauthEndpoints } from './resources/auth/oauth.ts';
import { outputEndpoints } from './resources/media/output.ts';
import { passwordResetEndpoints } from './resources/users/password-reset.ts';
import { personalAccessTokenEndpoints } from './resources/auth/personal-access-token.ts';
import { recordingEndpoints } from './resources/meetings/recording.ts';
import { reportEndpoints } from './resources/platform/report.ts';
import { roleEndpoints } from './resources/administrators/role.ts';
import { roomEndpoints } from './resources/rooms/room.ts';
import { roomAccessCodeEndpoints } from './resources/rooms/room-access-code.ts';
import { roomEntryEndpoints } from './resources/rooms/room-entry.ts';
import { roomInvitationEndpoints } from './resources/rooms/room-invitation.ts';
import { roomTokenBatchEndpoints, roomTokenEndpoints } from './resources/rooms/room-token.ts';
import { servicePackageEndpoints } from './resources/packages/service-package.ts';
import { servicePackageFeatureEndpoints } from './resources/packages/service-package-feature.ts';
import { servicePackageProviderEndpoints } from './resources/packages/service-package-provider.ts';
import { serviceProviderEndpoints } from './resources/providers/service-provider.ts';
import { settingEndpoints } from './resources/platform/setting.ts';
import { streamEndpoints } from './resources/media/stream.ts';
import { subscriptionEndpoints } from './resources/subscriptions/subscription.ts';
import { subscriptionFeatureEndpoints } from './resources/subscriptions/subscription-feature.ts';
import { subscriptionProviderEndpoints } from './resources/subscriptions/subscription-provider.ts';
import { telephoneEndpoints } from './resources/customers/telephone.ts';
import { twoFactorEndpoints } from './resources/administrators/two-factor.ts';
import { userEndpoints } from './resources/users/user.ts';
import { videoEndpoints } from './resources/media/video.ts';
import { webhookEndpoints } from './resources/events/webhook.ts';

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
  ...servicePackageFeatureEndpoints,
  ...servicePackageProviderEndpoints,
  ...customerEndpoints,
  ...customerUserEndpoints,
  ...addressEndpoints,
  ...telephoneEndpoints,
  ...legalDocumentEndpoints,
  ...userEndpoints,
  ...subscriptionEndpoints,
  ...subscriptionFeatureEndpoints,
  ...subscriptionProviderEndpoints,
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
