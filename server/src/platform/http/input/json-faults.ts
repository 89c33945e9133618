import { nextTurn } from '../../limits/next-turn.ts';

const maxDepth = 64;
/** Values, names and punctuation: more than the largest batch of room tokens has. */
const maxTokens = 400_000;
/** Different member names: an object with tens of thousands of them is slow to parse. */
const maxNames = 10_000;
/** Characters that are scanned in one turn of the event loop; a token counts as several. */
const charactersPerSlice = 1_048_576;
const charactersOfToken = 20;

/**
 * Finds repeated member names, and input that would block the process while it is parsed. Other errors are left to the
 * parser. Scans without recursion, and skips strings and blanks much faster than a general scanner.
 * @returns a sentence about the fault, or null
 */
export async function faultOfJson(text: string): Promise<string | null> {
  /** The member names of each open object; null for an open list. */
  const openNames: (Set<string> | null)[] = [];
  const distinctNames = new Set<string>();
  let tokenCount = 0;
  let sliceEnd = charactersPerSlice;
  let string = noString;
  for (let position = endOfBlanks(text, 0); position < text.length; position = endOfBlanks(text, position)) {
    const scanned = position + tokenCount * charactersOfToken;
    if (scanned >= sliceEnd) {
      await nextTurn();
      sliceEnd = scanned + charactersPerSlice;
    }
    tokenCount += 1;
    if (tokenCount > maxTokens) return 'The body has too many values.';
    const character = text.charAt(position);
    if (character === '"') {
      string = { start: position, end: endOfString(text, position) };
      position = string.end;
      continue;
    }
    if (!punctuation.has(character)) {
      position = endOfLiteral(text, position);
      continue;
    }
    position += 1;
    if (character === '{' || character === '[') {
      openNames.push(character === '{' ? new Set() : null);
      if (openNames.length > maxDepth) return `The body is nested more than ${maxDepth} levels deep.`;
    } else if (character === '}' || character === ']') openNames.pop();
    else if (character === ':') {
      const name = parseString(text.slice(string.start, string.end));
      if (name === null) return 'The body is not valid JSON.';
      const names = openNames.at(-1);
      if (names?.has(name)) return `The member ${quoted(name)} is sent twice.`;
      names?.add(name);
      distinctNames.add(name);
      if (distinctNames.size > maxNames) return `The body has more than ${maxNames} different member names.`;
    }
    // A name is the string directly before its colon.
    string = noString;
  }
  return null;
}

const noString = { start: 0, end: 0 };
const punctuation = new Set(['{', '}', '[', ']', ':', ',']);

const code = { tab: 9, lineFeed: 10, carriageReturn: 13, space: 32, quote: 34, backslash: 92 };

function isBlank(character: number): boolean {
  return (
    character === code.space ||
    character === code.lineFeed ||
    character === code.carriageReturn ||
    character === code.tab
  );
}

function endOfBlanks(text: string, start: number): number {
  let position = start;
  while (position < text.length && isBlank(text.charCodeAt(position))) position += 1;
  return position;
}

function endOfString(text: string, start: number): number {
  let position = start + 1;
  for (; position < text.length; position++) {
    const character = text.charCodeAt(position);
    if (character === code.quote) return position + 1;
    if (character === code.backslash) position += 1;
  }
  return text.length;
}

/** The end of a number, `true`, `false` or `null`. */
function endOfLiteral(text: string, start: number): number {
  const length = text.slice(start).search(/[ \t\n\r"{}[\]:,]/);
  return length < 0 ? text.length : start + length;
}

function parseString(text: string): string | null {
  try {
    return JSON.parse(text) as string;
  } catch {
    return null;
  }
}

/** A name as it is shown in a sentence. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}
