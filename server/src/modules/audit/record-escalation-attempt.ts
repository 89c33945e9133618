import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { Failure } from '../../platform/failures.ts';
import type { Call, Principal } from '../../platform/http/input/call.ts';

/** Records the failure in the audit log if it is an attempt at privilege escalation. */
export async function recordEscalationAttempt(
  dependencies: Dependencies,
  { method, path }: Endpoint,
  { principal, actor, params }: Call,
  failure: unknown,
): Promise<void> {
  if (!(failure instanceof Failure) || failure.code !== 'privilege-escalation' || principal === null) return;
  const resource = { type: resourceTypes[principal.kind], id: principal.id };
  await inTransaction(dependencies, actor, ({ emit }) =>
    emit({
      name: eventNames[principal.kind],
      resource,
      after: { endpoint: `${method} ${path}`, ...params, reason: failure.message },
    }),
  );
}

const resourceTypes = { admin: 'Admin', user: 'User', client: 'OauthClient' } as const satisfies Kinds;

const eventNames = {
  admin: 'admin.escalation_refused',
  user: 'user.escalation_refused',
  client: 'oauth_client.escalation_refused',
} as const satisfies Kinds;

type Kinds = Record<Principal['kind'], string>;
