import { defineModule } from '../../module.ts';
import { userView } from './transformer.ts';
import { userRoutes } from './routes.ts';

export { addUser, emailTaken, type NewUser } from './create-user.ts';
export { confirmIdentity, storePassword } from './credentials.ts';
export {
  findAndLockUser,
  findUser,
  findUserByEmail,
  replaceUserPasswordHash,
  requireUser,
  lockUserForKeyShare,
  lockUserByEmailForKeyShare,
  storeUser,
  type UserRow,
} from './store.ts';
export { userSelfView, userView } from './transformer.ts';
export { verifyEmail } from './credentials.ts';

export const users = defineModule({
  name: 'users',
  routes: userRoutes,
  views: { User: userView },
});
