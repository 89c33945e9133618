/** Advice to administrators in messages about HTTP failures. It depends on the provider type. */
export interface ErrorHints {
  /** For an address at which there is no API. */
  readonly address: string;
  /** For a web server that answers while the application behind it does not. */
  readonly gateway: string;
}
