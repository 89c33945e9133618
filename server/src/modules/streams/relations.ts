import { sql } from 'kysely';
import { visibleRooms } from '../memberships/index.ts';
import { roomView } from '../rooms/index.ts';
import { belongsTo, relation } from '../../platform/list-query/relation.ts';
import type { NamedRelation, TenantScope } from '../../platform/list-query/view.ts';
import { outputView, streamView } from './transformer.ts';

export const tenantScopes: readonly TenantScope[] = [
  { view: streamView, condition: (userId) => sql`streams.room_id in ${visibleRooms(userId)}` },
  { view: outputView, condition: (userId) => sql`outputs.room_id in ${visibleRooms(userId)}` },
];

export const relations: readonly NamedRelation[] = [
  relation(streamView, 'room', belongsTo(roomView, 'room_id')),
  relation(outputView, 'room', belongsTo(roomView, 'room_id')),
];
