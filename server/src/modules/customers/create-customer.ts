import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction, type Tx } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { type FieldFaults, invalidInput, conflict } from '../../platform/failures.ts';
import type { Actor, Principal, InputOf } from '../../platform/http/input/call.ts';
import { newUuid, type Uuid } from '../../platform/identity/identifier.ts';
import { randomCode } from '../../platform/crypto/opaque-token.ts';
import { hashPassword, passwordFaults } from '../../platform/crypto/password.ts';
import { heldByPlatformAfter } from './platform-hold.ts';
import type { Settings } from '../../platform/settings.ts';
import { addOwner, belongsToCustomer, registrationFaults } from '../memberships/index.ts';
import {
  addUser,
  emailTaken,
  findUserByEmail,
  lockUserByEmailForKeyShare,
  type UserRow,
  confirmIdentity,
} from '../users/index.ts';
import { lockParent } from './hierarchy.ts';
import { companyNameFaults } from './rules/company-name.ts';
import { readCustomerSettings } from './customer-settings.ts';
import { type CustomerRow, insertCustomer, findTakenMembers } from './store.ts';
import { subdomainFrom, withSuffix } from './rules/subdomain.ts';
import { takenFaults } from './rules/unique-members.ts';

type Input = InputOf<'createCustomer'>;

/**
 * Creates a customer and its owner: the user with that email, or a new one. If neither an
 * administrator nor a mailed link has confirmed that user's identity (`vouched` is false), the password is replaced.
 * @throws 422 naming every invalid field, also if a concurrent request takes the email, host name or subdomain.
 */
export async function createCustomer(
  dependencies: Dependencies,
  actor: Actor,
  principal: Principal | null,
  input: Input,
): Promise<CustomerRow> {
  const hasVouchedUser = (await findUserByEmail(dependencies.db, input.email))?.vouched === true;
  const faults: FieldFaults = {
    ...companyNameFaults(input.customer_type, input.company_name ?? null),
    ...registrationFaults(input.email, input.allowed_domains_registration ?? []),
    ...takenFaults(await findTakenMembers(dependencies.db, input, null)),
    ...(hasVouchedUser ? {} : await newPasswordFaults(input.password)),
  };
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  const passwordHash = hasVouchedUser || input.password === undefined ? null : await hashPassword(input.password);
  const settings = dependencies.settings();
  return await inTransaction(dependencies, actor, async (change) => {
    const id = newUuid();
    const parent = input.parent_customer_id ? await lockParent(change.tx, input.parent_customer_id) : null;
    const owner = await findOrCreateOwner(change, settings, { ...input, passwordHash }, { customerId: id, principal });
    const customer = await insertWithSubdomain(change, settings, { ...input, id, parent });
    await addOwner(change, 'customer', { id, customerId: id }, owner.id);
    if (input.allowed_domains_origins?.length) change.invalidate('origins');
    await change.emit(rowEvent('customer.created', { customerId: id, after: customer }));
    return customer;
  });
}

async function newPasswordFaults(password: string | undefined): Promise<FieldFaults> {
  const sentences = password === undefined ? [passwordRequired] : await passwordFaults(password);
  return sentences.length > 0 ? { password: sentences } : {};
}

const passwordRequired = 'The password field is required unless a user with this email exists.';

async function findOrCreateOwner(
  change: Change,
  settings: Settings,
  { passwordHash, ...input }: Input & { readonly passwordHash: string | null },
  { customerId, principal }: { readonly customerId: Uuid; readonly principal: Principal | null },
): Promise<UserRow> {
  if (passwordHash !== null) {
    const { email, first_name, last_name, locale, timezone } = input;
    const person = { email, first_name, last_name, locale, timezone };
    const origin = { customerId, vouched: principal?.kind !== 'user' };
    const newUser = await addUser(change, settings, { ...person, passwordHash }, origin);
    if (newUser) return newUser;
  }
  const user = await lockUserByEmailForKeyShare(change.tx, input.email);
  if (!user) throw invalidInput({ password: [passwordRequired] });
  if (principal?.kind === 'user' && !(await belongsToReseller(change.tx, user.id, input)))
    throw invalidInput(emailTaken);
  if (principal?.kind === 'user' || user.vouched) return user;
  if (passwordHash === null) throw invalidInput({ password: [passwordRequired] });
  return await confirmIdentity(change, user.id, passwordHash);
}

/** A reseller's user must not learn which other emails have an account. */
async function belongsToReseller(tx: Tx, userId: Uuid, { parent_customer_id: resellerId }: Input): Promise<boolean> {
  return resellerId !== undefined && resellerId !== null && (await belongsToCustomer(tx, userId, resellerId));
}

const maxAttempts = 10;

async function insertWithSubdomain(
  { tx, now, actor }: Change,
  settings: Settings,
  { id, parent, ...input }: Input & { readonly id: Uuid; readonly parent: CustomerRow | null },
): Promise<CustomerRow> {
  const generated = subdomainFrom(input);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const row = await insertCustomer(tx, {
      id,
      external_id: input.external_id ?? null,
      customer_key: randomCode(16),
      customer_prefix: input.customer_prefix ?? null,
      status: input.status ?? 'active',
      held_by_platform: heldByPlatformAfter(actor, input.status) ?? false,
      email: input.email,
      first_name: input.first_name,
      last_name: input.last_name,
      company_name: input.company_name ?? null,
      customer_type: input.customer_type,
      is_reseller: input.is_reseller ?? false,
      parent_customer_id: parent?.id ?? null,
      ancestors: parent ? [...parent.ancestors, parent.id] : [],
      status_above: parent?.effective_status ?? 'active',
      hostname: input.hostname ?? null,
      subdomain: input.subdomain ?? (attempt === 0 ? generated : withSuffix(generated, randomCode(6))),
      country: input.country,
      currency: input.currency,
      locale: input.locale ?? settings.system_locale,
      timezone: input.timezone ?? settings.system_timezone,
      allowed_domains_origins: JSON.stringify(input.allowed_domains_origins ?? []),
      allowed_domains_registration: JSON.stringify(input.allowed_domains_registration ?? []),
      customer_settings: JSON.stringify(readCustomerSettings(input.customer_settings ?? null)),
      customer_metadata: JSON.stringify(input.customer_metadata ?? {}),
      created_at: now,
      updated_at: now,
    });
    if (row) return row;
    // Tries another subdomain if the generated one is taken. A requested value that is taken is rejected.
    const takenNames = await findTakenMembers(tx, input, null);
    if (takenNames.length > 0) throw invalidInput(takenFaults(takenNames));
  }
  throw conflict('conflict', 'No free subdomain was found. Please try again.');
}
