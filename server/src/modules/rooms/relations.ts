import { sql } from 'kysely';
import { accountView } from '../accounts/index.ts';
import { customerView } from '../customers/index.ts';
import { memberRelations, visibleRooms } from '../memberships/index.ts';
import { subscriptionView } from '../subscriptions/index.ts';
import { userView } from '../users/index.ts';
import { visibleTokens } from './tokens/moderator-tokens.ts';
import { belongsTo, hasMany, relation } from '../../platform/list-query/relation.ts';
import type { NamedRelation, TenantScope } from '../../platform/list-query/view.ts';
import { batchTokenView, roomAccessCodeView, roomTokenBatchView, roomTokenView, roomView } from './transformer.ts';

export const tenantScopes: readonly TenantScope[] = [
  { view: roomView, condition: (userId) => sql`rooms.id in ${visibleRooms(userId)}` },
  { view: roomTokenView, condition: visibleTokens },
  { view: batchTokenView, condition: visibleTokens },
  {
    view: roomTokenBatchView,
    condition: (userId) => sql`room_token_batches.room_id in ${visibleRooms(userId, 'manage-tokens')}`,
  },
  {
    view: roomAccessCodeView,
    condition: (userId) => sql`room_access_codes.room_id in ${visibleRooms(userId, 'manage-access-codes')}`,
  },
];

export const relations: readonly NamedRelation[] = [
  relation(roomView, 'tokens', hasMany(roomTokenView, 'room_id')),
  relation(roomView, 'access_codes', hasMany(roomAccessCodeView, 'room_id')),
  relation(roomView, 'customer', belongsTo(customerView, 'customer_id')),
  relation(roomView, 'account', belongsTo(accountView, 'account_id')),
  relation(roomView, 'subscription', belongsTo(subscriptionView, 'subscription_id')),
  ...[roomTokenView, batchTokenView].flatMap((view) => [
    relation(view, 'room', belongsTo(roomView, 'room_id')),
    relation(view, 'user', belongsTo(userView, 'user_id')),
  ]),
  relation(roomTokenBatchView, 'room', belongsTo(roomView, 'room_id')),
  relation(roomAccessCodeView, 'room', belongsTo(roomView, 'room_id')),
  relation(customerView, 'rooms', hasMany(roomView, 'customer_id')),
  relation(accountView, 'rooms', hasMany(roomView, 'account_id')),
  ...memberRelations(roomView, 'room', [userView]),
];
