export { createAuthenticator } from './authenticate.ts';
export { createFirstPartyClient, installProxyClients } from './install-clients.ts';
export { resetAdminPassword } from './reset-admin-password.ts';
