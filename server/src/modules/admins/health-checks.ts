import type { Dependencies } from '../../dependencies.ts';
import type { Finding } from '../../module.ts';
import { countFullAdmins } from './full-admins.ts';

export async function checkFullAdmins({ db }: Dependencies): Promise<Finding[]> {
  const count = await countFullAdmins(db);
  return [
    count > 0
      ? {
          subject: 'administrators',
          state: 'ok',
          text: `${count} active ${count === 1 ? 'administrator' : 'administrators'} with full access`,
        }
      : {
          subject: 'administrators',
          state: 'fault',
          text: 'no active administrator with full access: run foyer admin create',
        },
  ];
}
