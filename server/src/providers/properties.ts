import {
  type ProviderProperty,
  type ProviderType,
  secretMask,
} from '@foyer/contract/resources/providers/provider-types.ts';
import type { FieldFaults } from '../platform/failures.ts';
import { parseCaCertificate } from './ca-certificate.ts';
import type { ParsedProperty, Properties, PropertyParser, ProviderTypeDefinition } from './provider-type.ts';

/**
 * Parses properties by the provider type. Absent properties keep their stored value, null clears one, the mask keeps a
 * stored secret, and properties that the type does not declare are stored unchanged. An address is stored twice: as it is
 * requested, so that two providers can be recognized as one server, and as it was written.
 */
export function parseProperties(
  type: ProviderTypeDefinition,
  input: Properties,
  stored: Properties,
): { properties: Properties } | { faults: FieldFaults } {
  const faults: FieldFaults = {};
  const properties: Record<string, unknown> = { ...stored };
  const declared = new Map(type.declaration.properties.map((property) => [property.name, property]));
  const writtenNames = new Set(
    [...declared.values()].filter(({ kind }) => kind === 'url').map(({ name }) => writtenName(name)),
  );
  for (const [name, raw] of Object.entries(input)) {
    if (writtenNames.has(name)) {
      // Otherwise it could show another address than requests use.
      faults[`properties.${name}`] = [`The ${name} property is set by the platform and cannot be changed.`];
      continue;
    }
    const property = declared.get(name);
    const value = typeof raw === 'string' && !property?.secret ? raw.trim() : raw;
    if (value === null || value === '') delete properties[name];
    else if (property?.secret && value === secretMask && stored[name] !== undefined) continue;
    else if (property) {
      const parsed = parseProperty(property, value, type.parsers?.[name]);
      if (parsed.ok) properties[name] = parsed.value;
      else faults[`properties.${name}`] = [parsed.message];
    } else properties[name] = value;
    if (property?.kind === 'url' && typeof value === 'string') properties[writtenName(name)] = value;
  }
  for (const { name, required } of declared.values()) {
    const path = `properties.${name}`;
    // Invalid properties already have a fault.
    if (required && properties[name] === undefined && !faults[path])
      faults[path] = [`The ${name} property is required.`];
  }
  return Object.keys(faults).length > 0 ? { faults } : { properties };
}

function parseProperty(property: ProviderProperty, value: unknown, parser?: PropertyParser): ParsedProperty {
  const { name, kind, choices, secret } = property;
  const refuse = (problem: string) => ({ ok: false, message: `The ${name} property ${problem}.` }) as const;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return refuse('must be a string');
  if (kind === 'certificate') return parseCaCertificate(text);
  if (text.length > 2048) return refuse('must not be longer than 2048 characters');
  if (choices && !choices.includes(text)) return refuse(`must be one of: ${choices.join(', ')}`);
  if (kind === 'number' && !/^[1-9]\d{0,4}$|^100000$/.test(text))
    return refuse('must be a whole number from 1 to 100000');
  if (secret && text === secretMask) return refuse('is the mask, not a secret');
  return parser ? parser(text) : { ok: true, value: text };
}

export function secretNames(declaration: ProviderType | undefined): string[] {
  return (declaration?.properties ?? []).filter(({ secret }) => secret).map(({ name }) => name);
}

/** Properties as they are printed: addresses as they were written, secrets masked. */
export function maskProperties(declaration: ProviderType | undefined, stored: Properties): Record<string, unknown> {
  const masked: Record<string, unknown> = { ...stored };
  for (const name of secretNames(declaration)) if (masked[name] !== undefined) masked[name] = secretMask;
  for (const { name, kind } of declaration?.properties ?? []) {
    if (kind !== 'url') continue;
    masked[name] = stored[writtenName(name)] ?? stored[name];
    delete masked[writtenName(name)];
  }
  return masked;
}

function writtenName(name: string): string {
  return `${name}_as_given`;
}
