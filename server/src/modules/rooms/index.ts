import { defineModule } from '../../module.ts';
import { roomAccessCodeView, roomTokenBatchView, roomTokenView, roomView } from './transformer.ts';
import { deactivateRoomsOfCustomer, deleteRoomsOfAccount } from './delete-room.ts';
import { roomJobs } from './jobs.ts';
import { relations, tenantScopes } from './relations.ts';
import { deleteTokensOfUser } from './tokens/room-tokens.ts';
import { roomRoutes } from './routes.ts';
import { roomTokenColumn } from './tokens/token-encryption.ts';

export { createRoom } from './create-room.ts';
export { type SignInOrigin, signInLink } from './tokens/sign-in-link.ts';
export { featuresOfRoom } from './room-features.ts';
export { createRoomToken } from './tokens/room-tokens.ts';
export { roomUrl, tokenUrl } from './room-url.ts';
export {
  lockRoomForKeyShare,
  markCodeUsed,
  markCodeUsedSql,
  requireRoom,
  type RoomAccessCodeRow,
  type RoomRow,
} from './store.ts';
export { createInvitedTokens, lockRoomForInvitations } from './tokens/invited-tokens.ts';
export { findBindableUsers } from './tokens/token-options.ts';
export { roomTokenColumn, tokenAssociatedData } from './tokens/token-encryption.ts';
export { countUseSql, countUse, findRoomToken, type PrintedTokenRow, type RoomTokenRow } from './tokens/token-store.ts';
export { roomTokenView, roomView } from './transformer.ts';

export const rooms = defineModule({
  name: 'rooms',
  routes: roomRoutes,
  views: {
    RoomAccessCode: roomAccessCodeView,
    RoomTokenBatch: roomTokenBatchView,
    RoomToken: roomTokenView,
    Room: roomView,
  },
  jobs: roomJobs,
  relations,
  tenantScopes,
  reactions: {
    'account.deleting': (change, { accountId }) => deleteRoomsOfAccount(change, accountId),
    'customer.terminating': (change, { customerId }) => deactivateRoomsOfCustomer(change, customerId),
    'user.deleting': (change, { userId }) => deleteTokensOfUser(change, userId),
  },
  encryptedColumns: [roomTokenColumn],
});
