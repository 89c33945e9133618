export interface NumberRule {
  readonly minimum: number;
  readonly maximum: number;
  /** 0 for whole numbers. */
  readonly decimals: number;
}

export type NumberReading =
  | { readonly ok: true; readonly value: number | null }
  | { readonly ok: false; readonly message: string };

/**
 * A number as people write it: `39.95`, `39,95`, `1 234.50`, `1.234,50`. Ambiguous notations are rejected, and no
 * character is ignored. Null for an empty text.
 */
export function readNumber(input: string, rule: NumberRule): NumberReading {
  const text = input.trim().replaceAll(/[\s\u00a0\u202f'’]+/g, ' ');
  if (text === '') return { ok: true, value: null };
  const plain = normalize(text);
  if (plain === null) return refuse('This is not a number.');
  if (plain === 'ambiguous') {
    const digits = text.replaceAll(/\D/g, '');
    return refuse(
      rule.decimals === 0
        ? `Write it without a point or comma: ${digits}.`
        : `This can be read in two ways. Write ${digits}, or ${text.replace(',', '.')}0.`,
    );
  }
  const decimals = plain.split('.')[1]?.length ?? 0;
  if (decimals > rule.decimals) {
    return refuse(rule.decimals === 0 ? 'Whole numbers only.' : `At most ${rule.decimals} decimals.`);
  }
  const value = Number(plain);
  if (value < rule.minimum) return refuse(`At least ${formatPlain(rule.minimum)}.`);
  if (value > rule.maximum) return refuse(`At most ${formatPlain(rule.maximum)}.`);
  return { ok: true, value };
}

/** The editable form: without group separators, with a point. */
export function formatPlain(value: number): string {
  return value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 10 });
}

function refuse(message: string): NumberReading {
  return { ok: false, message };
}

/** Digits with at most one point; null if the text is not a number. */
function normalize(text: string): string | null {
  const [, sign = '', body = ''] = /^([-−+]?)\s?([\d.,\s]+)$/.exec(text) ?? [];
  if (!/\d/.test(body)) return null;
  const minus = sign === '-' || sign === '−' ? '-' : '';
  const points = body.replaceAll(/[^.]/g, '').length;
  const commas = body.replaceAll(/[^,]/g, '').length;
  const lastSeparator = Math.max(body.lastIndexOf('.'), body.lastIndexOf(','));
  const isMixed = points > 0 && commas > 0;
  const separators = points + commas;
  if (!isMixed && separators === 1 && /^[1-9]\d{0,2}[.,]\d{3}$/.test(body)) return 'ambiguous';
  const hasDecimals = isMixed || separators === 1;
  const whole = hasDecimals ? body.slice(0, lastSeparator) : body;
  const rest = hasDecimals ? body.slice(lastSeparator + 1) : '';
  if (/[.,\s]/.test(rest) || (hasDecimals && rest === '' && whole === '')) return null;
  if (isMixed && body.charAt(lastSeparator) === whole.replaceAll(/[\d\s]/g, '').charAt(0)) return null;
  const hasValidGroups = /^\d*$/.test(whole) || /^\d{1,3}(\.\d{3})+$|^\d{1,3}(,\d{3})+$|^\d{1,3}( \d{3})+$/.test(whole);
  return hasValidGroups ? `${minus}${whole.replaceAll(/\D/g, '') || '0'}${rest === '' ? '' : `.${rest}`}` : null;
}
