import type { Dependencies } from '../../dependencies.ts';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';
import type { InputOf } from '../../platform/http/input/call.ts';
import { findUrlFault } from './requests/url-fault.ts';

export const disabledByRequest = 'Disabled by a request.';

type Input = InputOf<'updateWebhook'>;

/** @throws 422 naming `url` or `events` */
export async function requireValidInput({ settings }: Dependencies, { url, events }: Input): Promise<void> {
  const faults: FieldFaults = {};
  if (events?.length === 0) faults['events'] = ['The events field must have at least one event.'];
  const isPrivateAllowed = settings().webhooks_allow_private_addresses;
  const fault = url === undefined ? null : await findUrlFault(url, isPrivateAllowed);
  if (fault !== null) faults['url'] = [fault];
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
}
