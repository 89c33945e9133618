import type { Connection, Submittable } from 'pg';
import { prepareValue } from 'pg/lib/utils.js';

/** A statement and its parameters. A connection prepares it once under its name, or each time if the name is empty. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

export interface StatementResult {
  readonly rows: readonly object[];
  /** The command tag, such as `UPDATE 3`. */
  readonly tag: string;
}

/** Creates a row from the texts of its columns. */
type ReadRow = (texts: readonly (string | null)[]) => object;

/** How to read the rows of the statements that a connection has prepared, by statement name. */
export type PreparedStatements = Map<string, ReadRow>;

/** The parser of columns whose value is the text itself that PostgreSQL sends. */
export const asIs = (text: string) => text;

export interface TypeParsers {
  getTypeParser(oid: number, format: 'text'): (text: string) => unknown;
}

type Parameter = string | Buffer | null;

const readEmptyRow: ReadRow = () => ({});

/** A connection of `pg`, with the member in which its client records the statements that the server has parsed. */
interface ParsingConnection extends Connection {
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
}

/**
 * A query for a client of `pg`. Unlike the query class of `pg`, it asks for the description of a statement's columns only
 * once per connection, and can send buffered statements before its own, in the same round trip. When one of them fails,
 * the server skips the rest.
 */
export class PreparedQuery implements Submittable {
  /** Read by the client of `pg`, which records the names of the statements that the server has parsed. */
  readonly name: string;
  readonly text: string;
  readonly result: Promise<StatementResult>;
  readonly #values: readonly Parameter[];
  readonly #buffered: readonly { readonly name: string; readonly values: readonly Parameter[] }[];
  readonly #prepared: PreparedStatements;
  readonly #types: TypeParsers;
  readonly #rows: object[] = [];
  #resolve!: (result: StatementResult) => void;
  #reject!: (error: unknown) => void;
  #readRow = readEmptyRow;
  /** How many statements have been completed, those in front included. */
  completedCount = 0;
  #tag = '';
  #parseError: unknown;

  /** @param buffered statements that the connection has prepared and that are sent first; their rows are ignored */
  constructor(statement: Statement, buffered: readonly Statement[], prepared: PreparedStatements, types: TypeParsers) {
    this.name = statement.name;
    this.text = statement.text;
    this.#values = statement.values.map(toParameter);
    this.#buffered = buffered.map(({ name, values }) => ({ name, values: values.map(toParameter) }));
    this.#prepared = prepared;
    this.#types = types;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(connection: Connection): void {
    const { name, text } = this;
    const { parsedStatements } = connection as ParsingConnection;
    const readRow = this.#prepared.get(name);
    const { stream } = connection;
    stream.cork();
    try {
      for (const statement of this.#buffered) {
        bind(connection, statement.name, statement.values);
        connection.execute(null, true);
      }
      if (name === '' || parsedStatements[name] === undefined) connection.parse({ name, text, types: [] }, true);
      bind(connection, name, this.#values);
      if (readRow) this.#readRow = readRow;
      else connection.describe({ type: 'P' }, true);
      connection.execute(null, true);
      connection.sync();
    } finally {
      stream.uncork();
    }
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#readRow = compileReadRow(fields, this.#types);
  }

  handleDataRow({ fields: texts }: { readonly fields: readonly (string | null)[] }): void {
    if (this.completedCount < this.#buffered.length) return;
    try {
      this.#rows.push(this.#readRow(texts));
    } catch (error) {
      this.#parseError ??= error;
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    if (this.completedCount++ === this.#buffered.length) this.#tag = text;
  }

  handleEmptyQuery(): void {}

  /** Called instead of `handleReadyForQuery`. */
  handleError(error: unknown): void {
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    if (this.name !== '') this.#prepared.set(this.name, this.#readRow);
    if (this.#parseError === undefined) this.#resolve({ rows: this.#rows, tag: this.#tag });
    else this.#reject(this.#parseError);
  }
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** Generates the function, because V8 creates an object from a literal many times faster than property by property. */
function compileReadRow(fields: readonly Field[], types: TypeParsers): ReadRow {
  const parsers = fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text'));
  const members = fields.map(({ name }, index) => {
    const text = `texts[${index}]`;
    const value = parsers[index] === asIs ? text : `${text} === null ? null : parsers[${index}](${text})`;
    return `${JSON.stringify(name)}: ${value}`;
  });
  // oxlint-disable-next-line typescript/no-implied-eval -- the only input is the names of columns, as JSON strings
  return new Function('parsers', 'texts', `return { ${members.join(', ')} };`).bind(null, parsers) as ReadRow;
}

function bind(connection: Connection, statement: string, values: readonly Parameter[]): void {
  connection.bind({ statement, values: values as Parameter[] }, true);
}

function toParameter(value: unknown): Parameter {
  return prepareValue(value);
}
