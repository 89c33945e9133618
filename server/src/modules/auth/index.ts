export { createAuthenticator } from './authenticate.ts';
export { createFirstPartyClient, installProxyClients } from './install-clients.ts';
