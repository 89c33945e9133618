import type { ProviderType } from '@foyer/contract/resources/providers/provider-types.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { Transport, TransportAdvice } from './http/transport.ts';
import type { MediaProvider } from './media.ts';
import type { Capabilities, MeetingPlan, MeetingProvider } from './meet.ts';

/** Everything that the platform knows of a provider type. One member per service type holds its port. */
export interface ProviderTypeDefinition {
  /** Name, texts and properties, as the contract publishes them. */
  readonly declaration: ProviderType;
  /** By property, for those whose kind alone does not say how to parse them. */
  readonly parsers?: Readonly<Record<string, PropertyParser>>;
  /** Providers with equal keys are the same server, so they share its capacity. Secrets may be encrypted here. */
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

/** Delivers sessions of rooms as a meeting server delivers meetings, and what the rooms of the type need besides. */
export interface MediaService extends MeetService {
  connect(connection: ProviderConnection): MediaProvider;
}

/** What delivers the sessions of the type, whatever its service types. */
export function sessionsOf(type: ProviderTypeDefinition | undefined): MeetService | undefined {
  return type?.meet ?? type?.video ?? type?.live ?? type?.simulcast;
}

export interface TextLimit {
  /** By how many bytes the request that opens the meeting is too long; 0 where it fits. */
  excess(plan: MeetingPlan): number;
  /** The room settings whose texts are part of that request. */
  readonly settings: readonly string[];
}

export interface ProviderConnection {
  readonly providerId: string;
  /** With secrets decrypted. */
  readonly properties: Properties;
  readonly breaker: CircuitBreaker;
  /** @param ca certificates in PEM to trust instead of the public ones. */
  transport(advice: TransportAdvice, ca: string | null): Transport;
}

export type Properties = Readonly<Record<string, unknown>>;

export type PropertyParser = (text: string) => ParsedProperty;

export type ParsedProperty =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly message: string };
