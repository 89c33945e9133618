import { oauthClientEndpoints } from '@foyer/contract/resources/auth/oauth-client.ts';
import { oauthTokenEndpoints } from '@foyer/contract/resources/auth/oauth-token.ts';
import { oauthEndpoints } from '@foyer/contract/resources/auth/oauth.ts';
import { personalAccessTokenEndpoints } from '@foyer/contract/resources/auth/personal-access-token.ts';
import type { FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import type { Dependencies } from '../../../dependencies.ts';
import { type Route, route, row, rowRoute, rows, value, actionRoute } from '../../../platform/http/input/call.ts';
import { requirePrincipal } from '../../../platform/http/input/guard.ts';
import type { ProtocolRequest } from '../clients/client-authentication.ts';
import { requireClient } from '../clients/client-store.ts';
import { createClient, deleteClient, rotateSecret, updateClient } from '../clients/clients.ts';
import { answerIntrospection } from './introspect-endpoint.ts';
import { endOtherFamilies, endOwnFamily, ownFamiliesCondition, requireOwnFamily } from '../tokens/own-tokens.ts';
import {
  createPersonalToken,
  requireInteractiveSession,
  requirePersonalToken,
  revokePersonalToken,
} from '../tokens/personal-access-tokens.ts';
import { forbidStoring, printTokens } from '../tokens/print-tokens.ts';
import { answerRevocation } from './revoke-endpoint.ts';
import { serverMetadata } from './server-metadata.ts';
import { answerTokenRequest } from './token-endpoint.ts';
import { oauthClientView, oauthTokenViewFor, personalAccessTokenView } from '../transformer.ts';

/** The OAuth protocol endpoints, the OAuth clients, and the caller's own tokens. */
export function oauthRoutes(dependencies: Dependencies): Route[] {
  return [
    ...protocolRoutes(dependencies),
    ...clientRoutes(dependencies),
    ...personalTokenRoutes(dependencies),
    ...ownTokenRoutes(dependencies),
  ];
}

function protocolRoutes(dependencies: Dependencies): Route[] {
  return [
    route(oauthEndpoints.issueToken, async ({ actor, body, request, reply }) => {
      const userAgent = request.headers['user-agent'] ?? null;
      const tokenRequest = { ...protocolRequest(request, body), userAgent };
      return printTokens(await answerTokenRequest(dependencies, actor, tokenRequest), reply);
    }),
    route(oauthEndpoints.revokeToken, async ({ actor, body, request, reply }) => {
      forbidStoring(reply);
      await answerRevocation(dependencies, actor, protocolRequest(request, body));
      return value({});
    }),
    route(oauthEndpoints.introspectToken, async ({ body, request, reply }) => {
      forbidStoring(reply);
      return value(await answerIntrospection(dependencies, dependencies.publicUrl(), protocolRequest(request, body)));
    }),
    route(oauthEndpoints.readAuthorizationServer, () => value(serverMetadata(dependencies.publicUrl()))),
  ];
}

function clientRoutes(dependencies: Dependencies): Route[] {
  const endpoints = oauthClientEndpoints;
  return [
    route(endpoints.listOauthClients, () => rows(oauthClientView)),
    route(endpoints.createOauthClient, async (call) => {
      forbidStoring(call.reply);
      return row(oauthClientView, await createClient(dependencies, call));
    }),
    rowRoute(endpoints.readOauthClient, oauthClientView, ({ params }) =>
      requireClient(dependencies.db, params.client_id),
    ),
    rowRoute(endpoints.updateOauthClient, oauthClientView, (call) => updateClient(dependencies, call)),
    actionRoute(endpoints.deleteOauthClient, (call) => deleteClient(dependencies, call)),
    route(endpoints.rotateOauthClientSecret, async (call) => {
      forbidStoring(call.reply);
      return row(oauthClientView, await rotateSecret(dependencies, call));
    }),
  ];
}

function personalTokenRoutes(dependencies: Dependencies): Route[] {
  const endpoints = personalAccessTokenEndpoints;
  return [
    route(endpoints.listPersonalAccessTokens, async ({ principal }) => {
      const { kind, id } = requirePrincipal(principal);
      await requireInteractiveSession(dependencies, requirePrincipal(principal));
      const owner = sql.ref(`token_families.${kind}_id`);
      return rows(
        personalAccessTokenView,
        sql`token_families.kind = 'personal' and ${owner} = ${id} and token_families.revoked_at is null`,
      );
    }),
    route(endpoints.createPersonalAccessToken, async (call) => {
      forbidStoring(call.reply);
      return row(personalAccessTokenView, await createPersonalToken(dependencies, call));
    }),
    rowRoute(endpoints.readPersonalAccessToken, personalAccessTokenView, ({ principal, params }) =>
      requirePersonalToken(dependencies, requirePrincipal(principal), params.token_id),
    ),
    actionRoute(endpoints.deletePersonalAccessToken, (call) => revokePersonalToken(dependencies, call)),
  ];
}

function ownTokenRoutes(dependencies: Dependencies): Route[] {
  const endpoints = oauthTokenEndpoints;
  return [
    route(endpoints.listOauthTokens, async ({ principal }) => {
      const caller = requirePrincipal(principal);
      return rows(oauthTokenViewFor(caller.familyId), await ownFamiliesCondition(dependencies, caller));
    }),
    actionRoute(endpoints.deleteOtherOauthTokens, ({ actor, principal }) =>
      endOtherFamilies(dependencies, actor, requirePrincipal(principal)),
    ),
    route(endpoints.readOauthToken, async ({ principal, params }) => {
      const caller = requirePrincipal(principal);
      return row(oauthTokenViewFor(caller.familyId), await requireOwnFamily(dependencies, caller, params.token_id));
    }),
    actionRoute(endpoints.deleteOauthToken, (call) => endOwnFamily(dependencies, call)),
  ];
}

/** A parameter without a value counts as omitted (RFC 6749, 3.2). */
function protocolRequest(request: FastifyRequest, body: Record<string, unknown>): ProtocolRequest {
  const entries = Object.entries(body).filter(([, entry]) => entry !== null && entry !== undefined && entry !== '');
  return { authorization: request.headers.authorization, body: Object.fromEntries(entries) };
}
