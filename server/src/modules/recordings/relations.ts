import { sql } from 'kysely';
import { customerView } from '../customers/index.ts';
import { meetingView } from '../meetings/index.ts';
import { visibleRooms } from '../memberships/index.ts';
import { roomView } from '../rooms/index.ts';
import { subscriptionView } from '../subscriptions/index.ts';
import { belongsTo, hasMany, relation } from '../../platform/list-query/relation.ts';
import type { NamedRelation, TenantScope } from '../../platform/list-query/view.ts';
import { recordingView } from './transformer.ts';

export const tenantScopes: readonly TenantScope[] = [
  { view: recordingView, condition: (userId) => sql`recordings.room_id in ${visibleRooms(userId, 'read-recordings')}` },
];

export const relations: readonly NamedRelation[] = [
  relation(recordingView, 'room', belongsTo(roomView, 'room_id')),
  relation(recordingView, 'customer', belongsTo(customerView, 'customer_id')),
  relation(recordingView, 'subscription', belongsTo(subscriptionView, 'subscription_id')),
  relation(recordingView, 'meeting', belongsTo(meetingView, 'meeting_id')),
  relation(meetingView, 'recordings', hasMany(recordingView, 'meeting_id')),
  relation(roomView, 'recordings', hasMany(recordingView, 'room_id')),
];
