import { Client, type ClientConfig } from 'pg';
import { readOnlyTransaction } from './write-refused.ts';

export interface TimedClientConfig extends ClientConfig {
  /** How long a statement may go without an answer before the connection is closed. */
  readonly answerMs: number;
  /** Called when the server refuses a write with `read_only_sql_transaction`. */
  readonly onReadOnly?: () => void;
}

/**
 * A connection that closes itself when a statement gets no answer. `statement_timeout` does not cover that: the server
 * that would enforce it may be stopped, or the network may drop every packet.
 */
export class TimedClient extends Client {
  answerMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(config: TimedClientConfig) {
    super(config);
    this.answerMs = config.answerMs;
    this.connection.on('readyForQuery', () => {
      if (this.#timer) this.#startTimer();
    });
    // No statement is left, or the connection has ended.
    this.on('drain', () => this.#stopTimer());
    this.on('end', () => this.#stopTimer());
    this.connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === readOnlyTransaction) config.onReadOnly?.();
    });
  }

  // Every overload of `query` sends one statement.
  override query = ((...parameters: unknown[]): unknown => {
    if (!this.#timer) this.#startTimer();
    return Reflect.apply(Client.prototype.query, this, parameters);
  }) as Client['query'];

  #startTimer(): void {
    this.#stopTimer();
    // An answer that arrived while this process was busy is read before the immediate runs.
    this.#timer = setTimeout(() => setImmediate(() => this.#timer && this.#close()), this.answerMs);
    this.#timer.unref();
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #close(): void {
    const error = new Error('The database did not respond in time.');
    this.connection.stream.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
  }
}
