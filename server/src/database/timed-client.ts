import { Client, type ClientConfig } from 'pg';
import { readOnlyTransaction } from './write-refused.ts';

export interface TimedClientConfig extends ClientConfig {
  /** How long a statement may go without an answer before the connection is closed. */
  readonly responseTimeoutMs: number;
  /** Called when the server refuses a write with `read_only_sql_transaction`. */
  readonly onReadOnly?: () => void;
}

/**
 * A connection that closes itself when a statement gets no answer. `statement_timeout` does not cover that: the server
 * that would enforce it may be stopped, or the network may drop every packet.
 */
export class TimedClient extends Client {
  responseTimeoutMs: number;
  /** When the oldest unanswered statement must be answered; infinite if there is none. */
  #dueMs = Infinity;
  /** Checks the oldest statement; one timer for many statements, because starting one for each is measurable. */
  #timer: NodeJS.Timeout | undefined;
  #timerMs = Infinity;

  constructor(config: TimedClientConfig) {
    super(config);
    this.responseTimeoutMs = config.responseTimeoutMs;
    this.connection.on('readyForQuery', () => {
      if (this.#dueMs < Infinity) this.#expectAnswer();
    });
    // No statement is left, or the connection has ended.
    this.on('drain', () => (this.#dueMs = Infinity));
    this.on('end', () => {
      this.#dueMs = Infinity;
      clearTimeout(this.#timer);
    });
    this.connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === readOnlyTransaction) config.onReadOnly?.();
    });
  }

  // Every overload of `query` sends one statement.
  override query = ((...parameters: unknown[]): unknown => {
    if (this.#dueMs === Infinity) this.#expectAnswer();
    return Reflect.apply(Client.prototype.query, this, parameters);
  }) as Client['query'];

  #expectAnswer(): void {
    this.#dueMs = performance.now() + this.responseTimeoutMs;
    if (this.#dueMs < this.#timerMs) this.#startTimer();
  }

  #startTimer(): void {
    clearTimeout(this.#timer);
    this.#timerMs = this.#dueMs;
    // An answer that arrived while this process was busy is read before the immediate runs.
    this.#timer = setTimeout(() => setImmediate(() => this.#check()), this.#dueMs - performance.now());
    this.#timer.unref();
  }

  #check(): void {
    this.#timerMs = Infinity;
    if (this.#dueMs <= performance.now()) this.#close();
    else if (this.#dueMs < Infinity) this.#startTimer();
  }

  #close(): void {
    const error = new Error('The database did not respond in time.');
    this.connection.stream.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
  }
}
