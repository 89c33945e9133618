import { usageGroups, type UsageGroup } from '@foyer/contract/resources/platform/report.ts';
import type { TObject } from 'typebox';
import type { Dependencies } from '../../dependencies.ts';
import { type CalendarDate, calendarDate } from '../../platform/time/calendar-date.ts';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';
import type { Call } from '../../platform/http/input/call.ts';
import { prefersCsv } from '../../platform/http/answer/csv.ts';
import { parseInput } from '../../platform/http/input/parse-input.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import type { Instant } from '../../platform/time/instant.ts';
import { countPeriods, firstOfMonth, type PeriodUnit, periodsOf, type ReportPeriod } from './periods.ts';

/** The parameters that all reports share. */
export interface ReportRequest {
  readonly from: CalendarDate;
  /** Inclusive. */
  readonly to: CalendarDate;
  readonly unit: PeriodUnit;
  readonly timeZone: string;
  readonly now: Instant;
  /** Only periods that have begun. */
  readonly periods: readonly ReportPeriod[];
  readonly format: 'json' | 'csv';
  readonly order: readonly ReportOrder[];
}

export interface ReportOrder {
  readonly member: string;
  readonly descending: boolean;
}

export interface UsageGroups {
  /** The resource that each row is about; null for one row per period. */
  readonly level: UsageLevel | null;
  readonly byFeature: boolean;
}

export type UsageLevel = Exclude<UsageGroup, 'feature'>;

export interface UsageFilters {
  readonly customer_id?: Uuid;
  readonly subscription_id?: Uuid;
  readonly account_id?: Uuid;
  readonly room_id?: Uuid;
}

const firstDay = calendarDate('1970-01-01');
const maxPeriods = { day: 1100, month: 240 } as const;

/**
 * Parses the query of a report.
 * @param members the columns of the report, by which its rows can be sorted.
 * @param parseParameters parses the parameters that only this report has, and adds their faults.
 * @throws 422 naming every invalid parameter
 */
export function parseReportRequest<Parameters>(
  { endpoint, dependencies, call }: { endpoint: { query: TObject }; dependencies: Dependencies; call: Call },
  members: readonly string[],
  parseParameters: (values: Readonly<Record<string, unknown>>, faults: FieldFaults) => Parameters,
): ReportRequest & { readonly parameters: Parameters } {
  const { clock, settings } = dependencies;
  const faults: FieldFaults = {};
  const values = readQuery(endpoint.query, call.query, faults);
  const timeZone = (values['timezone'] as string | undefined) ?? settings().system_timezone;
  const unit = (values['by'] as PeriodUnit | undefined) ?? 'day';
  const today = clock.today(timeZone);
  const to = (values['to'] as CalendarDate | undefined) ?? today;
  const from = (values['from'] as CalendarDate | undefined) ?? firstOfMonth(to);
  checkRange(from, to, unit, faults);
  const order = readOrder(call.query, members, faults);
  const parameters = parseParameters(values, faults);
  if (Object.keys(faults).length > 0) {
    const isAboutFields = Object.keys(faults).every((name) => name === 'orderBy' || name === 'sortedBy');
    throw invalidInput(faults, isAboutFields ? 'unknown-query-field' : 'validation-failed');
  }
  const now = clock.now();
  return {
    from: calendarDate(from),
    to: calendarDate(to),
    unit,
    timeZone,
    now,
    periods: from > today ? [] : periodsOf(from, to < today ? to : today, unit, timeZone),
    format: (values['format'] as 'json' | 'csv' | undefined) ?? (prefersCsv(call.request) ? 'csv' : 'json'),
    order,
    parameters,
  };
}

/** `feature` can be combined with one other group. */
export function readGroups(text: string | undefined, faults: FieldFaults): UsageGroups {
  const names = splitList(text ?? '');
  const unknown = names.filter((name) => !(usageGroups as readonly string[]).includes(name));
  const levels = [...new Set(names)].filter((name) => name !== 'feature');
  if (unknown.length > 0) {
    faults['group_by'] = [
      `The selected group by is invalid: ${unknown.join(', ')}. It takes ${usageGroups.join(', ')}.`,
    ];
  } else if (levels.length > 1) {
    faults['group_by'] = [
      `You cannot group by ${levels.join(' and ')} at once. Only feature can be added to another group.`,
    ];
  }
  return { level: (levels[0] as UsageLevel | undefined) ?? null, byFeature: names.includes('feature') };
}

/** The schema expects numbers; query parameters are text. */
function readQuery(
  schema: TObject,
  query: Readonly<Record<string, string | undefined>>,
  faults: FieldFaults,
): Record<string, unknown> {
  const input = Object.fromEntries(
    Object.entries(query).map(([name, text]) => {
      const { type } = (schema.properties[name] ?? {}) as { type?: string };
      const isNumber = type === 'integer' && text !== undefined && /^-?\d{1,15}$/.test(text.trim());
      return [name, isNumber ? Number(text) : text];
    }),
  );
  const parsed = parseInput(schema, input, 'create');
  if ('values' in parsed) return parsed.values;
  Object.assign(faults, parsed.faults);
  return {};
}

function checkRange(from: CalendarDate, to: CalendarDate, unit: PeriodUnit, faults: FieldFaults): void {
  if (faults['from'] || faults['to'] || faults['by']) return;
  const tooEarly = Object.entries({ from, to }).filter(([, day]) => day < firstDay);
  for (const [name] of tooEarly) faults[name] = [`The ${name} field must not be before ${firstDay}.`];
  if (tooEarly.length > 0) return;
  if (from > to) faults['to'] = [`The to field must not be before ${from}.`];
  else if (countPeriods(from, to, unit) > maxPeriods[unit])
    faults['to'] = [`A report by ${unit} covers at most ${maxPeriods[unit]} ${unit}s.`];
}

function readOrder(
  query: Readonly<Record<string, string | undefined>>,
  members: readonly string[],
  faults: FieldFaults,
): ReportOrder[] {
  const names = splitList(query['orderBy'] ?? '');
  const directions = splitList(query['sortedBy'] ?? '').map((direction) => direction.toLowerCase());
  if (directions.some((direction) => direction !== 'asc' && direction !== 'desc'))
    faults['sortedBy'] = ['The sort direction must be one of: asc, desc.'];
  const unknown = names.filter((name) => !members.includes(name));
  if (unknown.length > 0)
    faults['orderBy'] = unknown.map((name) => `There is no field ${name}. The fields are: ${members.join(', ')}.`);
  return (names.length > 0 ? names : ['period']).map((member, index) => ({
    member,
    descending: (directions[index] ?? directions[0] ?? 'asc') === 'desc',
  }));
}

function splitList(text: string): string[] {
  return text
    .split(/[,;]/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
