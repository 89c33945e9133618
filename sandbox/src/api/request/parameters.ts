import { clean } from './checksum.ts';
import { invalid, refusal } from './refusals.ts';

export type Parameters = ReadonlyMap<string, string>;

/** Removes control characters and leading and trailing whitespace. @returns undefined if the parameter is absent or empty */
export function readText(parameters: Parameters, name: string): string | undefined {
  const value = clean(parameters.get(name) ?? '');
  return value === '' ? undefined : value;
}

export function readMeetingId(parameters: Parameters): string {
  const id = readText(parameters, 'meetingID');
  if (id === undefined) throw refusal('meetingIdMissing');
  if (id.length < 2 || id.length > 256) throw refusal('meetingIdSize');
  if (id.includes(',')) throw refusal('meetingIdComma');
  return id;
}

export function readPassword(parameters: Parameters, name: string): string | undefined {
  const password = readText(parameters, name);
  if (password !== undefined && (password.length < 2 || password.length > 64)) {
    throw refusal('passwordSize');
  }
  return password;
}

export function readFlag(parameters: Parameters, name: string, message: string): boolean | undefined {
  const value = readText(parameters, name)?.toLowerCase();
  if (value === undefined) return undefined;
  if (value !== 'true' && value !== 'false') throw invalid(message);
  return value === 'true';
}

export function readWholeNumber(parameters: Parameters, name: string, message: string): number | undefined {
  const value = readText(parameters, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(number)) throw invalid(message);
  return number;
}

/** A list separated by commas; empty when absent. */
export function readList(parameters: Parameters, name: string): string[] {
  return (readText(parameters, name) ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Reads the `meta_*` parameters with valid names; the keys are in lower case, without the prefix. */
export function readMetadata(parameters: Parameters): Map<string, string> {
  const metadata = new Map<string, string>();
  for (const [name, value] of parameters) {
    const key = metadataPattern.exec(name)?.[1];
    if (key !== undefined) metadata.set(key.toLowerCase(), value);
  }
  return metadata;
}

/** Reads the `plugin_*` parameters; the keys have no prefix. */
export function readPluginParameters(parameters: Parameters): Map<string, string> {
  const plugins = [...parameters].filter(([name]) => name.startsWith('plugin_'));
  return new Map(plugins.map(([name, value]) => [name.slice('plugin_'.length), value]));
}

const metadataPattern = /^meta_([a-zA-Z][a-zA-Z0-9-]*)$/;
