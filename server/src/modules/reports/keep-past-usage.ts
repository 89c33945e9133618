import { whenAccountIsDeleted } from '../accounts/index.ts';
import { whenRoomIsDeleted } from '../rooms/index.ts';
import { keepUsageOfAccount, keepUsageOfRoom } from './past-usage-store.ts';

// What was used was used, also where it is deleted afterwards: the totals of a period do not change behind it.
whenRoomIsDeleted.add(({ tx, now }, roomId) => keepUsageOfRoom(tx, roomId, now));
whenAccountIsDeleted.add(({ tx, now }, accountId) => keepUsageOfAccount(tx, accountId, now));
