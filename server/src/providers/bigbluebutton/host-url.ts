import { parseServerUrl } from '../http/server-url.ts';
import type { ParsedProperty } from '../provider-type.ts';

/**
 * Reads the address of a meeting server. The path of the API can be omitted, in part or completely; the result ends in
 * `/api`.
 */
export function parseHostUrl(text: string): ParsedProperty {
  return parseServerUrl('host_url', text, (path) => {
    if (path.endsWith('/api')) return path;
    return path.endsWith('/bigbluebutton') ? `${path}/api` : `${path}/bigbluebutton/api`;
  });
}
