import type { FieldFaults } from '../../../platform/failures.ts';

/** A business must have a company name. */
export function companyNameFaults(customerType: string, companyName: string | null): FieldFaults {
  if (customerType !== 'business' || companyName !== null) return {};
  return { company_name: ['The company name field is required when customer type is business.'] };
}
