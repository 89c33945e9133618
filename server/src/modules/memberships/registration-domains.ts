import { domainToASCII } from 'node:url';
import type { FieldFaults } from '../../platform/failures.ts';

/**
 * Whether somebody with the email may be a user of the customer. Domains are compared exactly, whatever the case, in
 * their ASCII form; a subdomain is another domain. None named: every domain is right.
 */
export function registrationFaults(email: string, domains: readonly string[]): FieldFaults {
  if (domains.length === 0) return {};
  const domain = asciiDomain(email.slice(email.lastIndexOf('@') + 1));
  if (domains.some((allowed) => asciiDomain(allowed) === domain)) return {};
  return { email: [`The email must be of one of the customer's domains: ${domains.join(', ')}.`] };
}

function asciiDomain(domain: string): string {
  return domainToASCII(domain) || domain.toLowerCase();
}
