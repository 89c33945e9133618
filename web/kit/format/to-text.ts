/** Formats any member of a resource as one line of text; empty if there is no value. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(value);
}

/** Whether a value is the mask that the audit log stores in place of a secret. */
export function isMask(value: unknown): boolean {
  return typeof value === 'string' && /^\*{4,}$/.test(value);
}
