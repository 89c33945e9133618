import type { RowOf } from '../../../kit/noun/noun.ts';

export type CustomerRow = RowOf<'readCustomer'>;
export type ServicePackageRow = RowOf<'readServicePackage'>;
export type ServiceProviderRow = RowOf<'readServiceProvider'>;
export type SubscriptionRow = RowOf<'readSubscription'>;
export type AccountRow = RowOf<'readAccount'>;
export type RoomRow = RowOf<'readRoom'>;
export type UserRow = RowOf<'readUser'>;
export type AdminRow = RowOf<'readAdmin'>;
export type RoleRow = RowOf<'readRole'>;
export type OauthClientRow = RowOf<'readOauthClient'>;
export type AuditEntryRow = RowOf<'readAuditEntry'>;
export type EventRow = RowOf<'readEvent'>;
export type MeetingRow = RowOf<'readMeeting'>;
export type RecordingRow = RowOf<'readRecording'>;
export type WebhookRow = RowOf<'readWebhook'>;
export type MailRow = RowOf<'readMail'>;
