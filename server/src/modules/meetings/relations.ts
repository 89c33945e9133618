import { sql } from 'kysely';
import { customerView } from '../customers/index.ts';
import { visibleRooms } from '../memberships/index.ts';
import { roomTokenView, roomView } from '../rooms/index.ts';
import { subscriptionView } from '../subscriptions/index.ts';
import { userView } from '../users/index.ts';
import { belongsTo, hasMany, relation } from '../../platform/list-query/relation.ts';
import type { NamedRelation, TenantScope } from '../../platform/list-query/view.ts';
import { meetingView, participantView } from './transformer.ts';

export const tenantScopes: readonly TenantScope[] = [
  { view: meetingView, condition: (userId) => sql`meetings.room_id in ${visibleRooms(userId)}` },
  { view: participantView, condition: (userId) => sql`room_entries.room_id in ${visibleRooms(userId, 'moderate')}` },
];

export const relations: readonly NamedRelation[] = [
  relation(meetingView, 'room', belongsTo(roomView, 'room_id')),
  relation(meetingView, 'customer', belongsTo(customerView, 'customer_id')),
  relation(meetingView, 'subscription', belongsTo(subscriptionView, 'subscription_id')),
  relation(meetingView, 'participants', hasMany(participantView, 'meeting_id')),
  relation(participantView, 'meeting', belongsTo(meetingView, 'meeting_id')),
  relation(participantView, 'room_token', belongsTo(roomTokenView, 'room_token_id')),
  relation(participantView, 'user', belongsTo(userView, 'user_id')),
];
