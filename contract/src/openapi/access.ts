import type { Access, Endpoint, UserRight } from '../conventions/endpoint.ts';
import { requiredRight } from '../conventions/rights.ts';
import type { Operation, OperationAccess, UserAccess } from './document.ts';
import { permissions, requiredReadPermissions, scopeOf } from '../conventions/permissions.ts';
import { scopes } from '../conventions/scope.ts';

/** The access of an endpoint, as data and as a sentence. */
export function accessOf({ access, isAllowedWithoutSecondFactor, interactiveSession }: Endpoint): OperationAccess {
  const operationAccess = describe(access);
  const worksBeforeEnrollment = isAllowedWithoutSecondFactor === true && operationAccess.population !== 'users';
  const sentences = [
    operationAccess.sentence,
    ...(interactiveSession ? ['The token must come from a sign-in of the caller, with all scopes.'] : []),
    ...(worksBeforeEnrollment
      ? ['Also works before the caller has set up the second factor that the platform requires.']
      : []),
  ];
  return { ...operationAccess, sentence: sentences.join(' ') };
}

function describe(access: Access): OperationAccess {
  if (access.kind === 'public') {
    return { kind: 'public', population: null, sentence: 'Needs no token.' };
  }
  if (access.kind === 'optional-token') {
    const sentence = 'A bearer token is optional; if one is sent, it must be valid.';
    return { kind: 'optional-token', population: null, sentence };
  }
  if (access.kind === 'authenticated') {
    const { population } = access;
    const subject = population === 'users' ? 'a user' : 'an administrator';
    const sentence = population === null ? 'Needs a valid token.' : `Needs a valid token of ${subject}.`;
    return { kind: 'authenticated', population, sentence };
  }
  const readPermissions = requiredReadPermissions(access.permission);
  const required =
    readPermissions.length > 0
      ? ` and the read permissions that it requires, ${readPermissions.map(code).join(', ')}`
      : '';
  const administrators = `For administrators with ${code(access.permission)}${required}.`;
  if (!access.users) return { kind: 'permission', population: 'admins', sentence: administrators };
  const users = userAccessOf(access.users);
  return {
    kind: 'permission',
    population: null,
    users,
    sentence: `${administrators} ${users.sentence} The token of a user needs only the scope ${code(scopeOf(access.permission))}.`,
  };
}

function userAccessOf({ right, target }: UserRight): UserAccess {
  const read = requiredRight(right);
  const rights = [right, ...(read === null ? [] : [read])].map(code).join(' and ');
  if (!target) {
    return {
      right,
      requires: read,
      on: null,
      sentence: `For users: the resources that their memberships with ${rights} cover.`,
    };
  }
  return {
    right,
    requires: read,
    on: { level: target.level, member: target.idName },
    sentence: `For users with the right ${rights} on the ${target.level} that ${code(target.idName)} names.`,
  };
}

/** The permissions that an administrator or client needs, and the scopes of the token. */
export function permissionOf({ access }: Endpoint): Pick<Operation, 'x-permission'> {
  if (access.kind !== 'permission') return {};
  const requires = requiredReadPermissions(access.permission);
  return { 'x-permission': { name: access.permission, requires, scopes: scopesOf(access) } };
}

/**
 * Any bearer token, or a token from one of the OAuth flows with the scopes that the operation needs; `*` includes all
 * scopes.
 */
export function securityOf({ access }: Endpoint): Operation['security'] {
  if (access.kind === 'public') return [];
  const tokens = [{ bearer: [] }, { oauth2: scopesOf(access) }];
  return access.kind === 'optional-token' ? [{}, ...tokens] : tokens;
}

function scopesOf(access: Access): string[] {
  if (access.kind !== 'permission') return [];
  return [...new Set([access.permission, ...requiredReadPermissions(access.permission)].map(scopeOf))];
}

/** @param root the public address; an empty string makes addresses relative */
export function securitySchemes(root: string): Readonly<Record<string, unknown>> {
  const token = { tokenUrl: `${root}/oauth/token`, scopes: Object.fromEntries(scopeSentences) };
  return {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description:
        'An access token from `POST /oauth/proxy/login` or `POST /oauth/token`, or a personal access token. It has the permissions of its owner, limited to its scopes.',
    },
    oauth2: {
      type: 'oauth2',
      description: 'OAuth 2 with PKCE. `/.well-known/oauth-authorization-server` has the metadata.',
      flows: {
        authorizationCode: { authorizationUrl: `${root}/oauth/authorize`, refreshUrl: `${root}/oauth/token`, ...token },
        clientCredentials: { ...token, scopes: Object.fromEntries(scopeSentences.filter(([scope]) => scope !== '*')) },
      },
    },
  };
}

/** A sentence that describes the scope. */
export function scopeSentence(scope: string): string {
  if (scope === '*') return 'Full access as its owner.';
  const covered = permissions.filter(({ name }) => scopeOf(name) === scope).map(({ displayName }) => displayName);
  const [first = '', ...rest] = covered;
  return `${[first, ...rest.map((name) => name.charAt(0).toLowerCase() + name.slice(1))].join(', ')}.`;
}

const scopeSentences = scopes.map((scope) => [scope, scopeSentence(scope)] as const);

function code(word: string): string {
  return `\`${word}\``;
}
