import { sql } from 'kysely';
import { visibleRooms } from '../memberships/index.ts';
import { roomView } from '../rooms/index.ts';
import { belongsTo, hasMany, relation } from '../../platform/list-query/relation.ts';
import type { NamedRelation, TenantScope } from '../../platform/list-query/view.ts';
import { videoView } from './transformer.ts';

export const tenantScopes: readonly TenantScope[] = [
  { view: videoView, condition: (userId) => sql`videos.room_id in ${visibleRooms(userId)}` },
];

export const relations: readonly NamedRelation[] = [
  relation(videoView, 'room', belongsTo(roomView, 'room_id')),
  relation(roomView, 'videos', hasMany(videoView, 'room_id')),
];
