import {
  type ProviderProperty,
  providerTypeNamed,
  type ProviderTypeName,
  secretMask,
} from '@foyer/contract/resources/provider-types.ts';
import type { FieldFaults } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import { parseCaCertificate } from '../../providers/ca-certificate.ts';
import { parseHostUrl } from '../../providers/host-url.ts';

export type Properties = Record<string, unknown>;

/**
 * Reads properties by the provider type: what is not named stays as stored, null clears,
 * and the mask leaves a stored secret. Properties that the type does not know are kept as they are.
 * An address is stored as it is asked, so that two rows can be known as one server, and beside it as it was given.
 */
export function readProperties(
  typeName: ProviderTypeName,
  given: Properties,
  stored: Properties,
): { properties: Properties } | { faults: FieldFaults } {
  const faults: FieldFaults = {};
  const properties: Properties = { ...stored };
  const known = new Map(providerTypeNamed(typeName)?.properties.map((property) => [property.name, property]));
  const kept = new Set([...known.values()].filter(({ kind }) => kind === 'url').map(({ name }) => asGiven(name)));
  for (const [name, raw] of Object.entries(given)) {
    if (kept.has(name)) {
      // It would show another address than the one that is asked.
      faults[`properties.${name}`] = [`The ${name} property is kept by the server and cannot be set.`];
      continue;
    }
    const property = known.get(name);
    const value = typeof raw === 'string' && !property?.secret ? raw.trim() : raw;
    if (value === null || value === '') delete properties[name];
    else if (property?.secret && value === secretMask && stored[name] !== undefined) continue;
    else if (property) properties[name] = readProperty(property, value, faults);
    else properties[name] = value;
    if (property?.kind === 'url' && typeof value === 'string') properties[asGiven(name)] = value;
  }
  for (const property of known.values()) {
    const path = `properties.${property.name}`;
    if (property.required && properties[property.name] === undefined && !faults[path]) {
      faults[path] = [`The ${property.name} property is required.`];
    }
  }
  return Object.keys(faults).length > 0 ? { faults } : { properties };
}

function readProperty(property: ProviderProperty, value: unknown, faults: FieldFaults): unknown {
  const path = `properties.${property.name}`;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') faults[path] = [`The ${property.name} property must be a string.`];
  else if (property.kind === 'certificate') {
    const read = parseCaCertificate(text);
    if (!read.ok) faults[path] = [read.message];
    else return read.pem;
  } else if (text.length > 2048)
    faults[path] = [`The ${property.name} property must not be longer than 2048 characters.`];
  else if (property.choices && !property.choices.includes(text)) {
    faults[path] = [`The ${property.name} property must be one of: ${property.choices.join(', ')}.`];
  } else if (property.kind === 'number' && !/^[1-9]\d{0,4}$|^100000$/.test(text)) {
    faults[path] = [`The ${property.name} property must be a whole number from 1 to 100000.`];
  } else if (property.kind === 'url') {
    const host = parseHostUrl(text);
    if (!host.ok) faults[path] = [host.message];
    else return host.url;
  } else if (property.secret && text === secretMask)
    faults[path] = [`The ${property.name} property is the mask, not a secret.`];
  return text;
}

export function secretNames(typeName: string): string[] {
  return (providerTypeNamed(typeName)?.properties ?? []).filter(({ secret }) => secret).map(({ name }) => name);
}

/** What is stored: secrets are sealed, each bound to its place. Values that are sealed already stay as they are. */
export async function sealProperties(
  secretBox: SecretBox,
  id: Uuid,
  typeName: string,
  properties: Properties,
  stored: Properties,
): Promise<Properties> {
  const sealed = { ...properties };
  for (const name of secretNames(typeName)) {
    const value = sealed[name];
    if (typeof value === 'string' && value !== stored[name])
      sealed[name] = await secretBox.seal(value, placeOf(id, name));
  }
  return sealed;
}

export async function openProperties(
  secretBox: SecretBox,
  id: Uuid,
  typeName: string,
  stored: Properties,
): Promise<Properties> {
  const opened = { ...stored };
  for (const name of secretNames(typeName)) {
    const value = opened[name];
    if (typeof value === 'string') opened[name] = await secretBox.open(value, placeOf(id, name));
  }
  return opened;
}

/** As they are shown: addresses as they were given, secrets masked. */
export function maskProperties(typeName: string, stored: Properties): Properties {
  const masked = { ...stored };
  for (const name of secretNames(typeName)) if (masked[name] !== undefined) masked[name] = secretMask;
  for (const { name, kind } of providerTypeNamed(typeName)?.properties ?? []) {
    if (kind !== 'url') continue;
    masked[name] = stored[asGiven(name)] ?? stored[name];
    delete masked[asGiven(name)];
  }
  return masked;
}

function asGiven(name: string): string {
  return `${name}_as_given`;
}

/** The secrets that are not what they were; masked, they all look the same. */
export function changedSecrets(typeName: string, before: Properties, after: Properties): string[] {
  return secretNames(typeName).filter((name) => before[name] !== after[name]);
}

export function placeOf(id: Uuid, name: string): string {
  return `service_providers:${id}:${name}`;
}
