import { type FeatureDefinition, unlimited } from './feature-definition.ts';

export type NormalizedFeatureValue =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly message: string };

/**
 * Normalizes a value for storage. A limit is a whole number or `unlimited` (also `true`, -1), a flag `true` or `false`
 * (also `Y`, `N`, 1, 0), a text at most 255 characters.
 */
export function normalizeFeatureValue(
  feature: Pick<FeatureDefinition, 'valueType' | 'code'>,
  input: unknown,
): NormalizedFeatureValue {
  const value = normalizers[feature.valueType](typeof input === 'string' ? input.trim() : input);
  if (value !== null) return { ok: true, value };
  return {
    ok: false,
    message: `The value of ${feature.code} must be ${expected[feature.valueType]}.`,
  };
}

/** The number that a stored limit allows; null for unlimited, 0 for an invalid value. */
export function limitOf(value: string): number | null {
  if (value === unlimited) return null;
  return /^\d{1,16}$/.test(value) ? Number(value) : 0;
}

const expected = {
  limit: `a whole number of at least 0 or "${unlimited}"`,
  flag: 'true or false',
  text: 'a text of 1 to 255 characters',
};

const normalizers: Record<FeatureDefinition['valueType'], (input: unknown) => string | null> = {
  limit: normalizeLimit,
  flag: normalizeFlag,
  text: normalizeText,
};

function normalizeLimit(input: unknown): string | null {
  if (input === true || input === -1) return unlimited;
  if (typeof input === 'number') {
    return Number.isSafeInteger(input) && input >= 0 ? String(input) : null;
  }
  if (typeof input !== 'string') return null;
  const text = input.toLowerCase();
  if (text === unlimited || text === 'true' || text === '-1') return unlimited;
  return /^\d{1,255}$/.test(text) ? normalizeLimit(Number(text)) : null;
}

function normalizeFlag(input: unknown): string | null {
  const text = typeof input === 'string' ? input.toLowerCase() : input;
  if (text === true || text === 1 || text === 'true' || text === '1' || text === 'y') return 'true';
  if (text === false || text === 0 || text === 'false' || text === '0' || text === 'n') {
    return 'false';
  }
  return null;
}

function normalizeText(input: unknown): string | null {
  if (typeof input === 'number' || typeof input === 'boolean') return String(input);
  return typeof input === 'string' && input.length > 0 && input.length <= 255 ? input : null;
}
