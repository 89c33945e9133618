import { features, isCumulative } from '@foyer/contract/resources/packages/features.ts';
import { type RawBuilder, sql } from 'kysely';
import type { CalendarDate } from '../../../platform/time/calendar-date.ts';
import { invalidInput } from '../../../platform/failures.ts';

/**
 * A condition for active or canceled subscriptions that have used at least the given percentage of a counted limit. Usage
 * of an ended window does not count. The column `used_percent`, which triggers maintain, is indexed and narrows the rows.
 * @throws 422 if the text is not a whole number from 1 to 100
 */
export function nearLimitCondition(text: string | undefined, today: CalendarDate): RawBuilder<unknown> | null {
  if (text === undefined || text.trim() === '') return null;
  const percent = /^\d{1,3}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(percent >= 1 && percent <= 100)) {
    throw invalidInput({ near_limit: ['The near limit field must be a whole number from 1 to 100.'] });
  }
  // `used_percent > 0` repeats the condition of the partial index, which is used only with it.
  return sql`(subscriptions.status in ('active', 'canceled') and subscriptions.id in (
    select usage.subscription_id from subscription_usages usage
    join subscription_features feature on feature.id = usage.subscription_feature_id
    where usage.used_percent >= ${percent} and usage.used_percent > 0 and feature.tag = any(${countedTags}::text[])
      and case when feature.value ~ '^[1-9][0-9]{0,15}$' then
        100 * (usage.handed_down + case when usage.valid_until <= ${today} then 0 else usage.used end)
          >= ${percent}::bigint * feature.value::bigint
      else false end))`;
}

const countedTags = features.filter(isCumulative).map(({ code }) => code);
