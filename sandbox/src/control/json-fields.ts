import { ControlRefusal } from './refusal.ts';

export type JsonObject = Record<string, unknown>;

export function requireObject(value: unknown): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ControlRefusal('The body must be a JSON object.');
  }
  return value as JsonObject;
}

export function requireValue<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new ControlRefusal(`${name} is required.`);
  return value;
}

export function readText(fields: JsonObject, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '') {
    throw new ControlRefusal(`${name} must be a text that is not empty.`);
  }
  return value;
}

export function readFlag(fields: JsonObject, name: string): boolean | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'boolean') throw new ControlRefusal(`${name} must be true or false.`);
  return value;
}

export function readNumber(fields: JsonObject, name: string): number | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    throw new ControlRefusal(`${name} must be a number that is not negative.`);
  }
  return value;
}

export function readChoice<Choice extends string>(
  fields: JsonObject,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = readText(fields, name);
  if (value === undefined) return undefined;
  const choice = choices.find((allowed) => allowed === value);
  if (choice === undefined) {
    throw new ControlRefusal(`${name} must be one of ${choices.join(', ')}.`);
  }
  return choice;
}

/** Each item must be one of the choices. */
export function readChoices<Choice extends string>(
  fields: JsonObject,
  name: string,
  choices: readonly Choice[],
): Choice[] | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  const chosen = Array.isArray(value) ? choices.filter((choice) => value.includes(choice)) : [];
  if (!Array.isArray(value) || chosen.length !== value.length) {
    throw new ControlRefusal(`${name} must be a list of ${choices.join(', ')}.`);
  }
  return chosen;
}

export function readTexts(fields: JsonObject, name: string): Record<string, string> | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  const entries = Object.entries(requireObject(value));
  if (entries.some(([, text]) => typeof text !== 'string'))
    throw new ControlRefusal(`${name} must contain only texts.`);
  return Object.fromEntries(entries.map(([key, text]) => [key, String(text)]));
}
