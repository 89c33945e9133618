import type { TSchema } from 'typebox';
import { text } from '../../conventions/field.ts';

/** The customer settings that Foyer uses, for the appearance of rooms. Other keys are stored unchanged. */
export const customerSettings = {
  brand_name: text(100),
  logo_url: text(2048, { format: 'http-url' }),
  primary_color: text(7, { format: 'color' }),
  support_url: text(2048, { format: 'http-url' }),
  hero_image: text(2048, { format: 'http-url' }),
} as const satisfies Record<string, TSchema>;
