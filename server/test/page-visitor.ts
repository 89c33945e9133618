export interface VisitedPage {
  readonly status: number;
  readonly html: string;
  readonly location: string | null;
  readonly headers: Headers;
  /** The set-cookie headers. */
  readonly cookies: readonly string[];
}

/** A browser without JavaScript. It stores cookies by path, and does not follow redirects. */
export function pageVisitor(defaultHeaders: Record<string, string> = {}) {
  const jar = new Map<string, { value: string; path: string }>();
  async function request(url: string, headers: Record<string, string>, init: RequestInit = {}): Promise<VisitedPage> {
    const { pathname } = new URL(url);
    const cookie = [...jar]
      .filter(([, { path }]) => pathname === path || pathname.startsWith(`${path}/`))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    const answer = await fetch(url, {
      ...init,
      headers: { ...defaultHeaders, ...(cookie ? { cookie } : {}), ...headers },
      redirect: 'manual',
    });
    const cookies = answer.headers.getSetCookie();
    for (const line of cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Expires=Thu, 01 Jan 1970/.test(line)) jar.delete(name);
      else jar.set(name, { value, path: /Path=([^;]+)/.exec(line)?.[1] ?? '/' });
    }
    const location = answer.headers.get('location');
    return {
      status: answer.status,
      html: await answer.text(),
      location: location && new URL(location, url).href,
      headers: answer.headers,
      cookies,
    };
  }
  return {
    jar,
    open: (url: string, headers: Record<string, string> = {}) => request(url, headers),
    send: (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      request(url, headers, { method: 'POST', body: new URLSearchParams(fields) }),
  };
}
