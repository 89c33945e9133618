import { Code } from '@mantine/core';
import type { IdentifierPrefix } from '@foyer/contract/conventions/identifier-prefixes.ts';
import { FactList } from './facts.tsx';
import { countryName, languageName } from '../format/choices.ts';
import { durationBaseOf, durationText } from '../format/durations.ts';
import { Absent, NamedReference } from './field-value.tsx';
import { formatDay, formatInstant } from '../format/instants.ts';
import { counted } from '../format/counted.ts';
import { wordOf } from '../format/label.ts';
import { formatMoney } from '../format/money.ts';
import { toText } from '../format/to-text.ts';
import { Copyable } from './copyable.tsx';
import { useNouns } from '../noun/app.tsx';

type Values = Readonly<Record<string, unknown>>;

/** Formats a stored member: money, days, names of referenced resources. @param values the whole row */
export function MemberValue(props: { readonly name: string; readonly value: unknown; readonly values: Values }) {
  const { name, value, values } = props;
  if (value === undefined || value === null || value === '') return <Absent />;
  if (typeof value === 'boolean') return <>{value ? 'Yes' : 'No'}</>;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return value.length === 0 ? <Absent /> : <>{value.map((item) => wordOf(item)).join(', ')}</>;
  }
  if (isFlat(value)) {
    return (
      <FactList
        facts={Object.entries(value).map(([key, item]) => [
          key,
          <MemberValue key={key} name={key} value={item} values={value} />,
        ])}
      />
    );
  }
  if (typeof value === 'object') return <Code block>{JSON.stringify(value, null, 2)}</Code>;
  const line = toText(value);
  if (uuid.test(line) || publicId.test(line)) return <ReferenceValue name={name} id={line} />;
  return <>{textOf(name, line, values)}</>;
}

function ReferenceValue({ name, id }: { readonly name: string; readonly id: string }) {
  const prefix = references[name];
  const nouns = useNouns();
  const noun = nouns.findById(id) ?? (prefix === undefined ? null : nouns.findByPrefix(prefix));
  if (noun === null) return <Copyable value={id} shown={`${id.slice(0, 13)}…`} label="id" />;
  return <NamedReference noun={noun} id={id} />;
}

/** Formats a value that is not a reference. */
export function textOf(name: string, line: string, values: Values): string {
  const number = Number(line);
  const base = durationBaseOf(name);
  if (base !== null && Number.isFinite(number)) return durationText(number, base);
  if (moneyMembers.has(name) && Number.isFinite(number)) {
    return formatMoney(number, toText(values['currency']) || 'EUR');
  }
  const interval = intervals[name];
  if (interval !== undefined && values[interval] !== undefined && Number.isFinite(number)) {
    return number === 0 ? 'none' : counted(number, toText(values[interval]));
  }
  if (day.test(line)) return formatDay(line);
  if (instant.test(line)) return formatInstant(line.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
  if (name === 'locale') return languageName(line);
  if (name === 'country' && /^[A-Z]{2}$/.test(line)) return countryName(line);
  return isEnumName(name) ? wordOf(line) : line;
}

function isEnumName(name: string): boolean {
  return /(^|_)(status|type|mode|role|direction|population|interval|layout|policy)$/.test(name);
}

function isFlat(value: unknown): value is Values {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const items = Object.values(value);
  return items.length > 0 && items.length <= 12 && items.every((item) => typeof item !== 'object' || item === null);
}

/** An id in the format of the API. */
const publicId = /^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$/;

/** An id in the format of the database. */
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A day in the format of the database or the API. */
const day = /^\d{4}-\d\d-\d\d(?:T00:00:00\.000000Z)?$/;

/** An instant in the format of the database or the API. */
const instant = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/;

const moneyMembers = new Set(['price', 'signup_fee']);

const intervals: Readonly<Record<string, string>> = {
  periodicity: 'periodicity_type',
  trial_period: 'trial_interval',
  grace_period: 'grace_interval',
  resettable_period: 'resettable_interval',
};

const references: Readonly<Record<string, IdentifierPrefix>> = {
  customer_id: 'cust',
  subscriber_id: 'cust',
  parent_customer_id: 'cust',
  account_id: 'acct',
  subscription_id: 'sub',
  parent_subscription_id: 'sub',
  package_id: 'pkg',
  from_package_id: 'pkg',
  to_package_id: 'pkg',
  service_provider_id: 'prov',
  room_id: 'room',
  user_id: 'user',
  admin_id: 'admin',
  client_id: 'client',
};
