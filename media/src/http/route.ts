import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The body of a signed request; empty otherwise. */
  readonly body: Buffer;
  /** The body as JSON. @throws Refusal 422 */
  json(): Readonly<Record<string, unknown>>;
}

export interface Route {
  readonly method: string;
  /** Such as `/v1/videos/:video_id`; a `*` at the end matches the rest of the path as the parameter `rest`. */
  readonly path: string;
  /** Requests of the platform are signed. Other requests have a token in their path. */
  readonly isSigned: boolean;
  /** The largest body of a signed request, in bytes. */
  readonly maximumBytes?: number;
  readonly handle: (call: Call) => Promise<void> | void;
}

/** A request of the platform. */
export function signedRoute(
  method: string,
  path: string,
  handle: Route['handle'],
  options: { readonly maximumBytes?: number } = {},
): Route {
  return { method, path, isSigned: true, handle, ...options };
}

/** A request of a browser, encoder or player. */
export function openRoute(method: string, path: string, handle: Route['handle']): Route {
  return { method, path, isSigned: false, handle };
}

/** @returns the parameters; null if the path does not match */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const patternSegments = pattern.split('/');
  const segments = path.split('/');
  const takesRest = patternSegments.at(-1) === '*';
  if (takesRest ? segments.length < patternSegments.length : segments.length !== patternSegments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of patternSegments.entries()) {
    const value = segments[index] ?? '';
    if (takesRest && index === patternSegments.length - 1) params['rest'] = segments.slice(index).join('/');
    else if (part.startsWith(':')) {
      if (value === '') return null;
      params[part.slice(1)] = value;
    } else if (part !== value) return null;
  }
  return params;
}
