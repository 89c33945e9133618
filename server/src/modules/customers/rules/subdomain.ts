import slugify from '@sindresorhus/slugify';

interface CustomerName {
  readonly company_name?: string | null;
  readonly first_name: string;
  readonly last_name: string;
}

/** A host label from the company's name, else from the person's, else `customer`. */
export function subdomainFrom(named: CustomerName): string {
  const person = `${named.first_name} ${named.last_name}`;
  return label(named.company_name ?? '', maxLength) || label(person, maxLength) || 'customer';
}

export function withSuffix(subdomain: string, ending: string): string {
  return `${label(subdomain, maxLength - ending.length - 1)}-${ending}`;
}

const maxLength = 63;

/** Cuts at a word boundary, unless that would leave less than half of the length. */
function label(text: string, length: number): string {
  const slug = slugify(text, { decamelize: false });
  if (slug.length <= length) return slug;
  const end = slug.lastIndexOf('-', length);
  return slug.slice(0, end >= length / 2 ? end : length).replace(/-$/, '');
}
