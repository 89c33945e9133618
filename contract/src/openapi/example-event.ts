import { Type } from 'typebox';
import type { Resource } from '../conventions/resource.ts';
import { Account } from '../resources/account.ts';
import { Address } from '../resources/address.ts';
import { Admin } from '../resources/admin.ts';
import { Customer } from '../resources/customer.ts';
import { Event } from '../resources/event.ts';
import type { EventName } from '../resources/event-catalogue.ts';
import { Invitation } from '../resources/invitation.ts';
import { LegalDocument } from '../resources/legal-document.ts';
import { Meeting, Participant } from '../resources/meeting.ts';
import { AccountUser, CustomerUser, RoomUser } from '../resources/membership.ts';
import { OauthClient } from '../resources/oauth-client.ts';
import { OauthToken } from '../resources/oauth-token.ts';
import { PersonalAccessToken } from '../resources/personal-access-token.ts';
import { secretMask } from '../resources/provider-types.ts';
import { Recording } from '../resources/recording.ts';
import { Role } from '../resources/role.ts';
import { Room, RoomAccessCode } from '../resources/room.ts';
import { RoomToken, RoomTokenBatch } from '../resources/room-token.ts';
import { ServicePackage, ServicePackageFeature, ServicePackageProvider } from '../resources/service-package.ts';
import { ServiceProvider } from '../resources/service-provider.ts';
import { Subscription, SubscriptionFeature, SubscriptionProvider } from '../resources/subscription-resources.ts';
import { Telephone } from '../resources/telephone.ts';
import { User } from '../resources/user.ts';
import { componentName } from './components.ts';
import { exampleObject } from './example.ts';
import { exampleIdentifier } from './example-identifier.ts';

/** What the events of each noun tell of. */
const resources: Readonly<Record<string, Resource>> = {
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
  subscription: Subscription,
  subscription_feature: SubscriptionFeature,
  subscription_provider: SubscriptionProvider,
  telephone: Telephone,
  user: User,
};

/** Members that some events have besides those of the resource. */
const details: Partial<Record<EventName, Record<string, unknown>>> = {
  'subscription.expiring': { days_left: 14 },
  'subscription.limit_reached': { tag: 'max_rooms', limit: '25', used: 25 },
  'subscription.renewed': { automatic: true },
};

const masked: Readonly<Record<string, readonly string[]>> = {
  participant: ['name'],
  room_access_code: ['code'],
  room_token: ['token'],
};

/** An event as the API prints it, with an example of its resource. */
export function exampleEvent(name: EventName): Record<string, unknown> {
  const [noun = '', happened] = name.split('.');
  const resource = resources[noun];
  const data = resource ? exampleObject(componentName(resource) ?? '', Type.Object(resource.fields)) : {};
  for (const member of masked[noun] ?? []) data[member] = secretMask;
  return {
    ...exampleObject('Event', Type.Object(Event.fields)),
    name,
    resource_type: data['object'] ?? (noun === 'settings' ? 'Settings' : 'SecretKeys'),
    resource_id: data['id'] ?? exampleIdentifier('evt').uuid,
    sequence: happened === 'created' ? 1 : 2,
    customer_id: data['customer_id'] ?? data['subscriber_id'] ?? null,
    actor: { type: 'admin', id: exampleIdentifier('admin').id, name: 'root' },
    data: { ...data, ...details[name] },
    previous: happened === 'created' ? null : {},
  };
}
