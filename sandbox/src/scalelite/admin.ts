import { verifyChecksum } from '../api/request/checksum.ts';
import { ApiRefusal } from '../api/request/refusals.ts';
import { type Answer, json } from '../http/answer.ts';
import { type SandboxRequest, decodeQuery } from '../http/request.ts';
import type { World } from '../world/world.ts';
import { type Balancer, serverPrefix } from './balancer.ts';
import { loadOf } from './server-load.ts';

/** The read-only part of the pool's JSON API. `action` is the path after `/scalelite/api/`. */
export function answerAdmin(world: World, balancer: Balancer, request: SandboxRequest, action: string): Answer {
  const query = decodeQuery(request.query);
  try {
    const checksum = query.get('checksum');
    verifyChecksum({ call: action, rawQuery: request.query, checksum }, world.secrets, balancer.checksumAlgorithms);
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    return json(401, { error: error.message });
  }
  const server = describeServer(world, balancer, request.origin);
  if (request.method === 'GET' && action === 'getServers') return json(200, [server]);
  if (request.method === 'GET' && action === 'getServerInfo') {
    return query.get('id') === server.id ? json(200, server) : json(400, { error: 'Server not found.' });
  }
  return json(404, { error: 'Not found.' });
}

function describeServer(
  world: World,
  { isServerOnline, serverState, serverTags, serverSecret }: Balancer,
  origin: string,
) {
  return {
    id: 'server-1',
    url: `${origin}${serverPrefix}/`,
    secret: serverSecret,
    tag: serverTags[0] ?? null,
    state: serverState,
    load: isServerOnline ? loadOf(world).toFixed(1) : 'unavailable',
    load_multiplier: '1.0',
    online: isServerOnline ? 'online' : 'offline',
  };
}
