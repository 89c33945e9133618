export type HostUrl = { readonly ok: true; readonly url: string } | { readonly ok: false; readonly message: string };

/**
 * Reads the address of a meeting server. The API's path may be given or left out; what is kept ends in
 * `/bigbluebutton/api`. Plain http only to a loopback address.
 */
export function parseHostUrl(text: string): HostUrl {
  if (text.length > 2048) return refuse('must not be longer than 2048 characters');
  if (!URL.canParse(text)) return refuse('must be an address such as https://meet.example.com');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refuse('must begin with https://');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return refuse('must use https; plain http only to a loopback address');
  if (url.username || url.password) return refuse('must not contain a user name or password');
  if (url.search || url.hash) return refuse('must not contain a query or a fragment');
  const folder = url.pathname
    .replace(/\/+$/, '')
    .replace(/\/api$/, '')
    .replace(/\/bigbluebutton$/, '');
  return { ok: true, url: `${url.origin}${folder}/bigbluebutton/api` };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function refuse(what: string): HostUrl {
  return { ok: false, message: `The host_url property ${what}.` };
}
