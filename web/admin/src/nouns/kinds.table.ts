import { Account as AccountResource } from '@foyer/contract/resources/customers/account.ts';
import { Admin as AdminResource } from '@foyer/contract/resources/administrators/admin.ts';
import { AuditEntry as AuditEntryResource } from '@foyer/contract/resources/events/audit.ts';
import { Customer as CustomerResource } from '@foyer/contract/resources/customers/customer.ts';
import { Mail as MailResource } from '@foyer/contract/resources/platform/mail.ts';
import { Event as EventResource } from '@foyer/contract/resources/events/event.ts';
import { Meeting as MeetingResource } from '@foyer/contract/resources/meetings/meeting.ts';
import { OauthClient as OauthClientResource } from '@foyer/contract/resources/auth/oauth-client.ts';
import { Recording as RecordingResource } from '@foyer/contract/resources/meetings/recording.ts';
import { Role as RoleResource } from '@foyer/contract/resources/administrators/role.ts';
import { Room as RoomResource } from '@foyer/contract/resources/rooms/room.ts';
import { ServicePackage as ServicePackageResource } from '@foyer/contract/resources/packages/service-package.ts';
import { ServiceProvider as ServiceProviderResource } from '@foyer/contract/resources/providers/service-provider.ts';
import { Subscription as SubscriptionResource } from '@foyer/contract/resources/subscriptions/subscription.ts';
import { User as UserResource } from '@foyer/contract/resources/users/user.ts';
import { Webhook as WebhookResource } from '@foyer/contract/resources/events/webhook.ts';
import { Video as VideoResource } from '@foyer/contract/resources/media/video.ts';
import type { Resource } from '@foyer/contract/conventions/resource.ts';
import type { Kind } from '../../../kit/noun/noun.ts';

export const Account = kindOf(AccountResource);
export const Admin = kindOf(AdminResource);
export const AuditEntry = kindOf(AuditEntryResource);
export const Customer = kindOf(CustomerResource);
export const Mail = kindOf(MailResource);
export const Event = kindOf(EventResource);
export const Meeting = kindOf(MeetingResource);
export const OauthClient = kindOf(OauthClientResource);
export const Recording = kindOf(RecordingResource);
export const Role = kindOf(RoleResource);
export const Room = kindOf(RoomResource);
export const ServicePackage = kindOf(ServicePackageResource);
export const ServiceProvider = kindOf(ServiceProviderResource);
export const Subscription = kindOf(SubscriptionResource);
export const User = kindOf(UserResource);
export const Webhook = kindOf(WebhookResource);
export const Video = kindOf(VideoResource);

function kindOf({ object, prefix }: Resource): Kind {
  return { object, prefix };
}
