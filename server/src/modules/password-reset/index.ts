import { whenAdminSessionsEnd } from '../admins/index.ts';
import { whenUserSessionsEnd } from '../users/index.ts';
import { endLinks } from './make-reset.ts';

export { askForReset } from './ask-for-reset.ts';

// Whoever changes the password in another way does not want the links that are still about.
whenAdminSessionsEnd.add((under, { adminId }) => endLinks(under, { population: 'admins', id: adminId }));
whenUserSessionsEnd.add((under, { userId }) => endLinks(under, { population: 'users', id: userId }));
