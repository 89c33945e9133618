import { parseArgs } from 'node:util';

export interface Options {
  readonly rooms: number;
  readonly customers: number;
  /** Seconds of load per request, server and round. */
  readonly seconds: number;
  readonly rounds: number;
  /** Folder for CPU profiles under each load; null writes none. */
  readonly profile: string | null;
  /** Number of tokens for the access benchmark; null if it does not run. */
  readonly access: number | null;
  /** Number of expired subscriptions for the commerce benchmark; null if it does not run. */
  readonly commerce: number | null;
  /** Number of meetings for the report benchmark; null if it does not run. */
  readonly reports: number | null;
  /** Whether only the room page is measured. */
  readonly page: boolean;
  /** Whether only joins and reconciliation are measured. */
  readonly joins: boolean;
  /** Whether only the isolation between tenants is measured. */
  readonly neighbour: boolean;
  /** Whether only the effect of a hanging provider is measured. */
  readonly providers: boolean;
  /** Number of stored events for the benchmark of events; null if it does not run. */
  readonly events: number | null;
  /** Whether only the media server is measured. */
  readonly media: boolean;
  /** Whether only the loading of the console is measured. */
  readonly console: boolean;
  /** Whether query plans and the memory of a response with all rooms are printed. */
  readonly plans: boolean;
}

export const usage = `Usage: npm run bench -- [options]

  --rooms N      rooms in the database (200000)
  --customers N  customers that own them (1000)
  --seconds N    of load in each round, for each request and server (5)
  --rounds N     rounds; the medians are printed (3)
  --quick        50000 rooms, 1 second, 3 rounds
  --plans        also print query plans of listing rooms and of reading a room, and stream all rooms in one response
  --access N     measure only authorization, with N tokens, and logins (1000000)
  --commerce     measure only quotas, expiry of --due N subscriptions (100000), and the list of subscriptions
  --reports      measure only reports over --meetings N of the last year (1000000)
  --page         measure only size and latency of a room page
  --joins        measure only joins and the reconciliation of 10000 meetings
  --neighbour    measure only the effect of an attacking tenant on another one
  --providers    measure only the effect of a hanging provider on others
  --events       measure only webhooks, and reads of --stored N events (1000000)
  --media        measure only the media server: videos, live streams and outputs
  --console      measure only the loading of the console on a slow connection
  --profile DIR  write a .cpuprofile of Foyer under each load
`;

/** @throws TypeError for unknown options and invalid numbers. */
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
      media: { type: 'boolean', default: false },
      events: { type: 'boolean', default: false },
      stored: { type: 'string', default: '1000000' },
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
    media: values.media,
    commerce: values.commerce ? number('due', values.due) : null,
    reports: values.reports ? number('meetings', values.meetings) : null,
    events: values.events ? number('stored', values.stored) : null,
    access: values.access === undefined ? null : number('access', values.access),
  };
}

function number(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new TypeError(`--${name} must be a whole number from 1, not ${text}.`);
  return Number(text);
}
