import { parseServerUrl } from '../http/server-url.ts';
import type { ParsedProperty } from '../provider-type.ts';

/** Reads the address of a meeting server. The path of the API may be left out, in part or as a whole; the value ends in `/api`. */
export function parseHostUrl(text: string): ParsedProperty {
  return parseServerUrl('host_url', text, (path) => {
    if (path.endsWith('/api')) return path;
    return path.endsWith('/bigbluebutton') ? `${path}/api` : `${path}/bigbluebutton/api`;
  });
}
