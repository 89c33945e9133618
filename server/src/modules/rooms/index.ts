export { whenRoomIsDeleted } from './delete-room.ts';
export { featuresOfRoom } from './room-features.ts';
export { createRoomToken } from './room-tokens.ts';
export { roomUrl, tokenUrl } from './room-url.ts';
export { usersToBind } from './token-options.ts';
export { roomTokenSecrets, tokenPlace } from './token-place.ts';
export { markCodeUsed, markingCodeUsed, requireRoom, type RoomAccessCodeRow, type RoomRow } from './store.ts';
export { countingUse, countUse, findRoomToken, type RoomTokenRow } from './token-store.ts';
export { roomTokenView, roomView } from './transformer.ts';
