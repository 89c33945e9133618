import { domainToASCII } from 'node:url';
import type { FieldFaults } from '../../platform/failures.ts';

/**
 * Checks an email against the customer's allowed domains; none allows any. Domains are compared in ASCII form and
 * case-insensitively; a subdomain does not match.
 */
export function registrationFaults(email: string, domains: readonly string[]): FieldFaults {
  if (domains.length === 0) return {};
  const domain = asciiDomain(email.slice(email.lastIndexOf('@') + 1));
  if (domains.some((allowed) => asciiDomain(allowed) === domain)) return {};
  return { email: [`The email must belong to one of the customer's domains: ${domains.join(', ')}.`] };
}

function asciiDomain(domain: string): string {
  return domainToASCII(domain) || domain.toLowerCase();
}
