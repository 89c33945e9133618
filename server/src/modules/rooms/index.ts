export { whenRoomIsDeleted } from './delete-room.ts';
export { featuresOfRoom } from './room-features.ts';
export { createRoomToken } from './room-tokens.ts';
export { roomUrl, tokenUrl } from './room-url.ts';
export { roomTokenSecrets, tokenPlace } from './token-place.ts';
export {
  findRoomToken,
  listAccessCodes,
  markUsed,
  requireRoom,
  type RoomAccessCodeRow,
  type RoomRow,
  type RoomTokenRow,
} from './store.ts';
export { roomTokenView, roomView } from './transformer.ts';
