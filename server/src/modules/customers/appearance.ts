import { sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import type { PageFrame } from '../../platform/page/page-layout.tsx';

/** How the rooms of a customer look to visitors; null where neither it nor a reseller above it says so. */
export interface Appearance {
  readonly brandName: string | null;
  readonly logoUrl: string | null;
  readonly primaryColor: string | null;
  readonly supportUrl: string | null;
  readonly heroImage: string | null;
  /** Whose pages may show its rooms inside of them. */
  readonly frameOrigins: readonly string[];
}

/** Each part is the customer's own, or else that of the nearest reseller above it. */
export async function appearanceOf(db: Database, customerId: Uuid): Promise<Appearance> {
  const { rows } = await sql<{ settings: Readonly<Record<string, unknown>>; origins: readonly string[] }>`
    select above.customer_settings as settings, above.allowed_domains_origins as origins
    from customers customer
    join customers above on above.id = any(customer.ancestors || customer.id)
    where customer.id = ${customerId}
    order by cardinality(above.ancestors) desc
  `.execute(db);
  const nearest = (name: string) => {
    const given = rows.map(({ settings }) => settings[name]).find((value) => typeof value === 'string' && value !== '');
    return typeof given === 'string' ? given : null;
  };
  return {
    brandName: nearest('brand_name'),
    logoUrl: nearest('logo_url'),
    primaryColor: nearest('primary_color'),
    supportUrl: nearest('support_url'),
    heroImage: nearest('hero_image'),
    frameOrigins: [...new Set(rows.flatMap(({ origins }) => origins))].filter((origin) => !/[\s;,'"]/.test(origin)),
  };
}

/** A page in the look of a customer. */
export function withAppearance<C extends PageFrame>(
  chrome: C,
  { brandName, logoUrl, primaryColor, supportUrl }: Appearance,
): C {
  return {
    ...chrome,
    platformName: brandName ?? chrome.platformName,
    // A name of its own beside the mark of the platform would be neither's.
    logoUrl: logoUrl ?? (brandName === null ? chrome.logoUrl : null),
    color: primaryColor ?? chrome.color,
    supportUrl: supportUrl ?? chrome.supportUrl,
  };
}
