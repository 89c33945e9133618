import type { Dependencies } from '../../dependencies.ts';
import type { Finding } from '../../module.ts';
import { countFullAdmins } from './full-admins.ts';

export async function checkFullAdmins({ db }: Dependencies): Promise<Finding[]> {
  const count = await countFullAdmins(db);
  return [
    count > 0
      ? { subject: 'administrators', state: 'ok', text: `${count} active with full access` }
      : { subject: 'administrators', state: 'fault', text: 'none with full access: foyer admin create' },
  ];
}
