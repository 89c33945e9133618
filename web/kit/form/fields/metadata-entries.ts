/** A pair while it is edited: its key may be empty or duplicate, its value may be invalid. */
export interface Entry {
  /** Identifies the pair, because its key can change. */
  readonly number: number;
  readonly key: string;
  readonly type: EntryType;
  readonly text: string;
}

export type EntryType = 'text' | 'number' | 'flag' | 'json';

export function entriesOf(map: unknown): Entry[] {
  if (typeof map !== 'object' || map === null) return [];
  return Object.entries(map).map(([key, value], number) => ({ number, key, ...describe(value) }));
}

/** Pairs without a key are left out; values that do not parse stay text. */
export function mapOf(entries: readonly Entry[]): Record<string, unknown> {
  return Object.fromEntries(
    entries.filter(({ key }) => key.trim() !== '').map((entry) => [entry.key.trim(), parseValue(entry)]),
  );
}

function describe(value: unknown): { type: EntryType; text: string } {
  if (typeof value === 'string') return { type: 'text', text: value };
  if (typeof value === 'number') return { type: 'number', text: String(value) };
  if (typeof value === 'boolean') return { type: 'flag', text: String(value) };
  return { type: 'json', text: JSON.stringify(value) };
}

function parseValue({ type, text }: Entry): unknown {
  if (type === 'flag') return text === 'true';
  if (type === 'number') {
    const number = Number(text.trim());
    return text.trim() === '' || !Number.isFinite(number) ? text : number;
  }
  return type === 'json' ? readJson(text) : text;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
