import type { ProviderType } from '@foyer/contract/resources/providers/provider-types.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { Transport, ErrorHints } from './http/transport.ts';
import type { MediaProvider } from './media.ts';
import type { Capabilities, MeetingPlan, MeetingProvider } from './meet.ts';

/** The definition of a provider type, with a port for each of its service types. */
export interface ProviderTypeDefinition {
  /** Name, texts and properties, as the contract publishes them. */
  readonly declaration: ProviderType;
  /** Parsers of properties that need more than the check of their kind. */
  readonly parsers?: Readonly<Record<string, PropertyParser>>;
  /**
   * Providers with equal keys are the same server, so they share its capacity. The properties may have encrypted
   * secrets.
   */
  serverKey(properties: Properties): string;
  readonly meet?: MeetService;
  readonly video?: MediaService;
  readonly live?: MediaService;
  readonly simulcast?: MediaService;
}

export interface MeetService {
  readonly capabilities: Capabilities;
  /** @throws ProviderFailure `misconfigured` for properties that cannot be used. */
  connect(connection: ProviderConnection): MeetingProvider;
  /** The sources, in the syntax of a Content-Security-Policy, to which a join address may redirect a browser. */
  joinTargets(properties: Properties): readonly string[];
  /** Absent for a type that opens meetings with texts of any length. */
  readonly textLimit?: TextLimit;
}

/** Delivers sessions of rooms like meetings, and additional functions for the room type. */
export interface MediaService extends MeetService {
  connect(connection: ProviderConnection): MediaProvider;
}

/** The port that delivers the sessions of the type. */
export function sessionServiceOf(type: ProviderTypeDefinition | undefined): MeetService | undefined {
  return type?.meet ?? type?.video ?? type?.live ?? type?.simulcast;
}

export interface TextLimit {
  /** By how many bytes the request that opens the meeting is too long; 0 if it fits. */
  excessBytes(plan: MeetingPlan): number;
  /** The room settings whose texts are part of that request. */
  readonly settings: readonly string[];
}

export interface ProviderConnection {
  readonly providerId: string;
  /** The properties with decrypted secrets. */
  readonly properties: Properties;
  readonly breaker: CircuitBreaker;
  /** @param ca certificates in PEM to trust instead of the public ones. */
  transport(errorHints: ErrorHints, ca: string | null): Transport;
}

export type Properties = Readonly<Record<string, unknown>>;

export type PropertyParser = (text: string) => ParsedProperty;

export type ParsedProperty =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly message: string };
