import slugify from '@sindresorhus/slugify';

interface CustomerName {
  readonly company_name?: string | null;
  readonly first_name: string;
  readonly last_name: string;
}

/** Makes a host label from the company's name, else from the person's, else `customer`. */
export function subdomainFrom(customer: CustomerName): string {
  const person = `${customer.first_name} ${customer.last_name}`;
  return toLabel(customer.company_name ?? '', maxLength) || toLabel(person, maxLength) || 'customer';
}

export function withSuffix(subdomain: string, suffix: string): string {
  return `${toLabel(subdomain, maxLength - suffix.length - 1)}-${suffix}`;
}

const maxLength = 63;

/** Cuts at a word boundary, unless that would leave less than half of the length. */
function toLabel(text: string, length: number): string {
  const slug = slugify(text, { decamelize: false });
  if (slug.length <= length) return slug;
  const end = slug.lastIndexOf('-', length);
  return slug.slice(0, end >= length / 2 ? end : length).replace(/-$/, '');
}
