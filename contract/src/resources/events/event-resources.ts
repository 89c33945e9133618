import type { Resource } from '../../conventions/resource.ts';
import type { eventCatalogue } from './event-catalogue.ts';
import { Account } from '../customers/account.ts';
import { Address } from '../customers/address.ts';
import { Admin } from '../administrators/admin.ts';
import { Customer } from '../customers/customer.ts';
import { Invitation } from '../users/invitation.ts';
import { LegalDocument } from '../customers/legal-document.ts';
import { Meeting, Participant } from '../meetings/meeting.ts';
import { AccountUser, CustomerUser, RoomUser } from '../users/membership.ts';
import { OauthClient } from '../auth/oauth-client.ts';
import { OauthToken } from '../auth/oauth-token.ts';
import { Output } from '../media/output.ts';
import { PersonalAccessToken } from '../auth/personal-access-token.ts';
import { Recording } from '../meetings/recording.ts';
import { Role } from '../administrators/role.ts';
import { Room, RoomAccessCode } from '../rooms/room.ts';
import { RoomToken, RoomTokenBatch } from '../rooms/room-token.ts';
import { ServicePackage, ServicePackageFeature, ServicePackageProvider } from '../packages/service-package.ts';
import { ServiceProvider } from '../providers/service-provider.ts';
import { Stream } from '../media/stream.ts';
import { Subscription, SubscriptionFeature, SubscriptionProvider } from '../subscriptions/subscription-resources.ts';
import { Telephone } from '../customers/telephone.ts';
import { User } from '../users/user.ts';
import { Video } from '../media/video.ts';
import { Webhook } from './webhook.ts';

/** The resource that the events of each noun are about. */
export const eventResources = {
  account: Account,
  account_user: AccountUser,
  address: Address,
  admin: Admin,
  customer: Customer,
  customer_user: CustomerUser,
  invitation: Invitation,
  legal_document: LegalDocument,
  meeting: Meeting,
  oauth_client: OauthClient,
  oauth_token: OauthToken,
  output: Output,
  participant: Participant,
  personal_access_token: PersonalAccessToken,
  recording: Recording,
  role: Role,
  room: Room,
  room_access_code: RoomAccessCode,
  room_token: RoomToken,
  room_token_batch: RoomTokenBatch,
  room_user: RoomUser,
  service_package: ServicePackage,
  service_package_feature: ServicePackageFeature,
  service_package_provider: ServicePackageProvider,
  service_provider: ServiceProvider,
  stream: Stream,
  subscription: Subscription,
  subscription_feature: SubscriptionFeature,
  subscription_provider: SubscriptionProvider,
  telephone: Telephone,
  user: User,
  video: Video,
  webhook: Webhook,
} as const satisfies Partial<Record<keyof typeof eventCatalogue, Resource>>;
