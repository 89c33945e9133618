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
 * parser.
 * It scans without recursion, and passes over strings and blanks much faster than a general scanner.
 * @returns a sentence about the fault, or null
 */
export async function faultOfJson(text: string): Promise<string | null> {
  /** The names of each open object; null for a list. */
  const open: (Set<string> | null)[] = [];
  const different = new Set<string>();
  let count = 0;
  let sliceEnd = charactersPerSlice;
  let string = noString;
  for (let at = endOfBlanks(text, 0); at < text.length; at = endOfBlanks(text, at)) {
    const scanned = at + count * charactersOfToken;
    if (scanned >= sliceEnd) {
      await nextTurn();
      sliceEnd = scanned + charactersPerSlice;
    }
    count += 1;
    if (count > maxTokens) return 'The body has too many values.';
    const character = text.charAt(at);
    if (character === '"') {
      string = { start: at, end: endOfString(text, at) };
      at = string.end;
      continue;
    }
    if (!punctuation.has(character)) {
      at = endOfLiteral(text, at);
      continue;
    }
    at += 1;
    if (character === '{' || character === '[') {
      open.push(character === '{' ? new Set() : null);
      if (open.length > maxDepth) return `The body is nested more than ${maxDepth} levels deep.`;
    } else if (character === '}' || character === ']') open.pop();
    else if (character === ':') {
      const name = parseString(text.slice(string.start, string.end));
      if (name === null) return 'The body is not valid JSON.';
      const names = open.at(-1);
      if (names?.has(name)) return `The member ${quoted(name)} is sent twice.`;
      names?.add(name);
      different.add(name);
      if (different.size > maxNames) return `The body has more than ${maxNames} different member names.`;
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
  let at = start;
  while (at < text.length && isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === code.quote) return at + 1;
    if (character === code.backslash) at += 1;
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
