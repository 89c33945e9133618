import { sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import type { PageFrame } from '../../platform/page/page-layout.tsx';

/** The branding of a customer's room pages. A member is null if neither the customer nor a reseller above it sets it. */
export interface Appearance {
  readonly brandName: string | null;
  readonly logoUrl: string | null;
  readonly primaryColor: string | null;
  readonly supportUrl: string | null;
  readonly heroImage: string | null;
  /** The origins that may embed the rooms in a frame. */
  readonly frameOrigins: readonly string[];
}

/** Each member comes from the customer, or else from the nearest reseller above it. */
export async function appearanceOf(db: Database, customerId: Uuid): Promise<Appearance> {
  const { rows } = await sql<{ settings: Readonly<Record<string, unknown>>; origins: readonly string[] }>`
    select above.customer_settings as settings, above.allowed_domains_origins as origins
    from customers customer
    join customers above on above.id = any(customer.ancestors || customer.id)
    where customer.id = ${customerId}
    order by cardinality(above.ancestors) desc
  `.execute(db);
  const findNearest = (name: string) => {
    const text = rows.map(({ settings }) => settings[name]).find((value) => typeof value === 'string' && value !== '');
    return typeof text === 'string' ? text : null;
  };
  return {
    brandName: findNearest('brand_name'),
    logoUrl: findNearest('logo_url'),
    primaryColor: findNearest('primary_color'),
    supportUrl: findNearest('support_url'),
    heroImage: findNearest('hero_image'),
    frameOrigins: [...new Set(rows.flatMap(({ origins }) => origins))].filter((origin) => !/[\s;,'"]/.test(origin)),
  };
}

/** Applies the customer's branding to a page. */
export function withAppearance<C extends PageFrame>(
  chrome: C,
  { brandName, logoUrl, primaryColor, supportUrl }: Appearance,
): C {
  return {
    ...chrome,
    platformName: brandName ?? chrome.platformName,
    // A customer with its own brand name must not show the platform's logo.
    logoUrl: logoUrl ?? (brandName === null ? chrome.logoUrl : null),
    color: primaryColor ?? chrome.color,
    supportUrl: supportUrl ?? chrome.supportUrl,
  };
}
