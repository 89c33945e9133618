/** Escaped markup. Only `html` creates it. */
export interface Html {
  readonly markup: string;
}

type Part = string | number | Html | null | false | readonly Html[];

/** Escapes every inserted text, for content and quoted attributes. */
export function html(literals: TemplateStringsArray, ...parts: Part[]): Html {
  const markup = literals.reduce((result, literal, index) => result + print(parts[index - 1] ?? null) + literal);
  return { markup };
}

function print(part: Part): string {
  if (part === null || part === false) return '';
  if (typeof part === 'string' || typeof part === 'number') return escape(String(part));
  return 'markup' in part ? part.markup : part.map((item) => item.markup).join('');
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
