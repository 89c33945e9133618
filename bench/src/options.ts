import { parseArgs } from 'node:util';

export interface Options {
  readonly rooms: number;
  readonly customers: number;
  /** Of load in each round, for each request and server. */
  readonly seconds: number;
  readonly rounds: number;
  /** Where profiles of Foyer under each load are put; null makes none. */
  readonly profile: string | null;
  /** Live tokens with which only access and logging in are measured; null measures the lists. */
  readonly access: number | null;
  /** Due subscriptions with which only the life cycle and quotas are measured; null measures the lists. */
  readonly commerce: number | null;
  /** Meetings of a year over which only reports are measured; null measures the lists. */
  readonly reports: number | null;
  /** Whether only the door of a room is measured, as a browser loads it. */
  readonly page: boolean;
  /** Whether only joins, and looking after many meetings, are measured. */
  readonly joins: boolean;
  /** Whether only what one tenant at its limits does to another is measured. */
  readonly neighbour: boolean;
  /** Whether only one hung provider beside others is measured. */
  readonly providers: boolean;
  /** Whether only the first views of the console are measured, in a browser. */
  readonly console: boolean;
  /** Whether the big lists are looked at too: plans, and all rooms in one answer. */
  readonly plans: boolean;
}

export const usage = `Usage: npm run bench -- [options]

  --rooms N      rooms in the database (200000)
  --customers N  customers that own them (1000)
  --seconds N    of load in each round, for each request and server (5)
  --rounds N     rounds, of which the medians are told (3)
  --quick        50000 rooms, 1 second, 3 rounds
  --plans        also print what the database does for the list and the read, and stream all rooms at once
  --access N     measure only what deciding about access costs, with N live tokens, and logging in (1000000)
  --commerce     measure only expiry, of --due N subscriptions (100000), quotas, and the list of subscriptions
  --reports      measure only reports, of --meetings N in the last year (1000000)
  --page         measure only what the door of a room weighs, and how fast it comes
  --joins        measure only joins, and looking after 10000 meetings
  --neighbour    measure only what a tenant that attacks does to another one
  --providers    measure only what a provider that hangs does to others
  --console      measure only what a browser loads for the console on a slow line, and when it shows it
  --profile DIR  write a .cpuprofile of Foyer under each load
`;

/** @throws TypeError for what is no option, or no number. */
export function readOptions(args: readonly string[]): Options | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rooms: { type: 'string' },
      customers: { type: 'string', default: '1000' },
      seconds: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      quick: { type: 'boolean', default: false },
      plans: { type: 'boolean', default: false },
      profile: { type: 'string' },
      access: { type: 'string' },
      commerce: { type: 'boolean', default: false },
      due: { type: 'string', default: '100000' },
      reports: { type: 'boolean', default: false },
      page: { type: 'boolean', default: false },
      joins: { type: 'boolean', default: false },
      neighbour: { type: 'boolean', default: false },
      providers: { type: 'boolean', default: false },
      console: { type: 'boolean', default: false },
      meetings: { type: 'string', default: '1000000' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    rooms: number('rooms', values.rooms ?? (values.quick ? '50000' : '200000')),
    customers: number('customers', values.customers),
    seconds: number('seconds', values.seconds ?? (values.quick ? '1' : '5')),
    rounds: number('rounds', values.rounds),
    profile: values.profile ?? null,
    plans: values.plans,
    page: values.page,
    joins: values.joins,
    neighbour: values.neighbour,
    providers: values.providers,
    console: values.console,
    commerce: values.commerce ? number('due', values.due) : null,
    reports: values.reports ? number('meetings', values.meetings) : null,
    access: values.access === undefined ? null : number('access', values.access),
  };
}

function number(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new TypeError(`--${name} must be a whole number from 1, not ${text}.`);
  return Number(text);
}
