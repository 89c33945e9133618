import type { BigBlueButtonConnection } from '../bigbluebutton/request/call-api.ts';
import { unreadable } from '../bigbluebutton/request/answer.ts';
import { parseJson } from '../bigbluebutton/request/json.ts';
import { signedUrl } from '../bigbluebutton/request/signed-request.ts';
import { ProviderFailure } from '../provider-failure.ts';

/** `JSON.parse` is synchronous, so more would block the event loop. */
const maximumBytes = 256 * 1024;

/**
 * Why the load balancer cannot open meetings: none of its servers is enabled and online. Null if a server is, or if the
 * secret of its admin API is unknown. A failure of that API is not an outage of the load balancer.
 */
export async function findProblem({
  providerId,
  signer,
  transport,
  adminSecret,
}: BigBlueButtonConnection): Promise<string | null> {
  if (adminSecret === null) return null;
  const apiUrl = signer.apiUrl.replace(/(?:\/bigbluebutton)?\/api$/, '/scalelite/api');
  const url = signedUrl({ ...signer, apiUrl, secret: adminSecret }, 'getServers', {});
  try {
    const answer = await transport.send(providerId, { url, form: null, accept: 'application/json', maximumBytes });
    if (answer.status === 401) return null;
    const servers: unknown = answer.status === 200 ? parseJson(answer.text) : null;
    if (!Array.isArray(servers)) throw unreadable(providerId, answer);
    const usable = servers.filter(isUsable).length;
    return usable > 0 ? null : noServer(servers.length);
  } catch (error) {
    if (error instanceof ProviderFailure) return null;
    throw error;
  }
}

function noServer(count: number): string {
  if (count === 0) return 'Scalelite has no meeting server. Add one with `./bin/rake servers:add`.';
  const subject = count === 1 ? 'The only server' : `None of the ${count} servers`;
  const verb = count === 1 ? 'is not' : 'is';
  return `${subject} behind Scalelite ${verb} enabled and online. Check with \`./bin/rake status\`.`;
}

function isUsable(server: unknown): boolean {
  if (typeof server !== 'object' || server === null) return false;
  const { state, online } = server as { state?: unknown; online?: unknown };
  return online === 'online' && (state === undefined || state === 'enabled');
}
