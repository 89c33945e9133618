import { createHash, randomBytes } from 'node:crypto';
import type { TestApi } from '../api.ts';
import { firstAdmin } from '../first-admin.ts';

export const adminLogin = { username: firstAdmin.username, password: firstAdmin.password };
export const redirectUri = 'https://app.example/callback?from=foyer';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export interface TestClient {
  readonly id: string;
  readonly secret: string;
  readonly credentials: { readonly client_id: string; readonly client_secret?: string };
}

/** Registers a client as the first administrator. */
export async function registerClient(api: TestApi, options: Record<string, unknown> = {}): Promise<TestClient> {
  const { data } = await api.admin.createOauthClient({
    body: {
      name: 'Portal',
      population: 'admins',
      redirect_uris: [redirectUri],
      grants: ['authorization_code', 'refresh_token'],
      scopes: ['*'],
      ...options,
    },
  });
  const secret = data.secret ?? '';
  return {
    id: data.id,
    secret,
    credentials: secret === '' ? { client_id: data.id } : { client_id: data.id, client_secret: secret },
  };
}

/** Posts a form to an OAuth endpoint (RFC 6749). */
export async function post(
  api: TestApi,
  path: string,
  body: Readonly<Record<string, string | undefined>> | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const form = typeof body === 'string' ? body : formText(body);
  const answer = await fetch(`${api.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: form,
  });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

export function formText(body: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(body).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(entries).toString();
}

export function basicAuthorization(id: string, secret: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
}

export function createPkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The cookies of a browser. */
export interface Browser {
  cookie: string | null;
}

export interface PageAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly location: string | null;
  readonly html: string;
}

export function authorizeUrl(api: TestApi, query: Readonly<Record<string, string | undefined>> | string): string {
  return `${api.url}/oauth/authorize?${typeof query === 'string' ? query : formText(query)}`;
}

export async function openPage(browser: Browser, url: string, form?: Record<string, string>): Promise<PageAnswer> {
  const answer = await fetch(url, {
    redirect: 'manual',
    headers: {
      ...(browser.cookie === null ? {} : { cookie: browser.cookie }),
      ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
    },
    ...(form ? { method: 'POST', body: new URLSearchParams(form).toString() } : {}),
  });
  const setCookie = answer.headers.get('set-cookie');
  if (setCookie) browser.cookie = setCookie.split(';')[0] ?? null;
  return {
    status: answer.status,
    headers: answer.headers,
    location: answer.headers.get('location'),
    html: await answer.text(),
  };
}

/** Submits the form of the page with a button, like a browser. */
export async function submit(
  browser: Browser,
  url: string,
  page: PageAnswer,
  button: string,
  input: Record<string, string> = {},
): Promise<PageAnswer> {
  const hiddenInputs = [...page.html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const hiddenFields = Object.fromEntries(hiddenInputs.map(([, name = '', value = '']) => [name, value]));
  return await openPage(browser, url, { ...hiddenFields, ...input, do: button });
}

/** Logs in on the page and consents. @returns the redirect address */
export async function authorize(
  api: TestApi,
  query: Readonly<Record<string, string | undefined>>,
  login: Record<string, string> = adminLogin,
): Promise<URL> {
  const browser: Browser = { cookie: null };
  const url = authorizeUrl(api, query);
  const loginPage = await openPage(browser, url);
  const afterLogin = await submit(browser, url, loginPage, 'login', login);
  if (afterLogin.status !== 303) throw new Error(`the login failed: ${afterLogin.html}`);
  const consent = await openPage(browser, url);
  const redirect = consent.status === 200 ? await submit(browser, url, consent, 'allow') : consent;
  return new URL(redirect.location ?? 'about:blank');
}

/** The parameters of a valid authorization request of a confidential client. */
export function authorizationRequest(client: TestClient, overrides: Record<string, string | undefined> = {}) {
  return { response_type: 'code', client_id: client.id, redirect_uri: redirectUri, state: 'af0ifjsldkj', ...overrides };
}

export async function getCode(
  api: TestApi,
  client: TestClient,
  overrides: Record<string, string | undefined> = {},
): Promise<string> {
  const answer = await authorize(api, authorizationRequest(client, overrides));
  return answer.searchParams.get('code') ?? '';
}

export async function exchangeCode(
  api: TestApi,
  client: TestClient,
  overrides: Record<string, string | undefined>,
): Promise<Answer> {
  return await post(api, '/oauth/token', {
    grant_type: 'authorization_code',
    redirect_uri: redirectUri,
    ...client.credentials,
    ...overrides,
  });
}

/** Whether the access token is accepted. */
export async function isAccepted(api: TestApi, accessToken: unknown): Promise<boolean> {
  const { status } = await api.clientWith(String(accessToken)).request('listOauthTokens');
  return status === 200;
}
