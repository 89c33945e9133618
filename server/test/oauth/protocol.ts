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
export async function register(api: TestApi, options: Record<string, unknown> = {}): Promise<TestClient> {
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

export function basic(id: string, secret: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
}

export function pkce(): { verifier: string; challenge: string } {
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

export async function open(browser: Browser, url: string, form?: Record<string, string>): Promise<PageAnswer> {
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

/** Submits the form of the page with the button, like a browser. */
export async function press(
  browser: Browser,
  url: string,
  page: PageAnswer,
  button: string,
  typed: Record<string, string> = {},
): Promise<PageAnswer> {
  const hidden = [...page.html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const carried = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
  return await open(browser, url, { ...carried, ...typed, do: button });
}

/** Logs in on the page and consents. @returns the redirect address */
export async function authorize(
  api: TestApi,
  query: Readonly<Record<string, string | undefined>>,
  login: Record<string, string> = adminLogin,
): Promise<URL> {
  const browser: Browser = { cookie: null };
  const url = authorizeUrl(api, query);
  const loginPage = await open(browser, url);
  const welcome = await press(browser, url, loginPage, 'login', login);
  if (welcome.status !== 303) throw new Error(`the login failed: ${welcome.html}`);
  const consent = await open(browser, url);
  const sent = consent.status === 200 ? await press(browser, url, consent, 'allow') : consent;
  return new URL(sent.location ?? 'about:blank');
}

/** The parameters of a request that a confidential client may make. */
export function requestOf(client: TestClient, more: Record<string, string | undefined> = {}) {
  return { response_type: 'code', client_id: client.id, redirect_uri: redirectUri, state: 'af0ifjsldkj', ...more };
}

export async function codeFor(
  api: TestApi,
  client: TestClient,
  more: Record<string, string | undefined> = {},
): Promise<string> {
  const answer = await authorize(api, requestOf(client, more));
  return answer.searchParams.get('code') ?? '';
}

export async function exchange(
  api: TestApi,
  client: TestClient,
  more: Record<string, string | undefined>,
): Promise<Answer> {
  return await post(api, '/oauth/token', {
    grant_type: 'authorization_code',
    redirect_uri: redirectUri,
    ...client.credentials,
    ...more,
  });
}

/** Whether the access token is accepted. */
export async function works(api: TestApi, accessToken: unknown): Promise<boolean> {
  const { status } = await api.clientWith(String(accessToken)).request('listOauthTokens');
  return status === 200;
}
