import type { Resource } from '../conventions/resource.ts';
import type { eventCatalogue } from './event-catalogue.ts';
import { Account } from './account.ts';
import { Address } from './address.ts';
import { Admin } from './admin.ts';
import { Customer } from './customer.ts';
import { Invitation } from './invitation.ts';
import { LegalDocument } from './legal-document.ts';
import { Meeting, Participant } from './meeting.ts';
import { AccountUser, CustomerUser, RoomUser } from './membership.ts';
import { OauthClient } from './oauth-client.ts';
import { OauthToken } from './oauth-token.ts';
import { Output } from './output.ts';
import { PersonalAccessToken } from './personal-access-token.ts';
import { Recording } from './recording.ts';
import { Role } from './role.ts';
import { Room, RoomAccessCode } from './room.ts';
import { RoomToken, RoomTokenBatch } from './room-token.ts';
import { ServicePackage, ServicePackageFeature, ServicePackageProvider } from './service-package.ts';
import { ServiceProvider } from './service-provider.ts';
import { Stream } from './stream.ts';
import { Subscription, SubscriptionFeature, SubscriptionProvider } from './subscription-resources.ts';
import { Telephone } from './telephone.ts';
import { User } from './user.ts';
import { Video } from './video.ts';
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
