/** Advice for administrators about HTTP failures, by provider type. */
export interface TransportAdvice {
  /** For an address at which there is no API. */
  readonly address: string;
  /** For a web server that answers while the application behind it does not. */
  readonly gateway: string;
}
