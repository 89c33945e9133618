import { setImmediate } from 'node:timers/promises';

/** Attributes as `@name`; child elements as text or elements, several of one name as a list. */
export type Element = { readonly [name: string]: unknown };

/** Takes the items of a list as they are read, so that a long list is never in memory as a tree. */
export interface ItemReader {
  /** Of the elements two levels below the root, as `meeting` in `<response><meetings><meeting>`. */
  readonly name: string;
  take(item: Element): void;
}

/** The text is not XML that an API answers with. */
export class XmlFault extends Error {}

const maximumDepth = 32;
/** The document, its root, and the list are open around an item. */
const itemDepth = 3;
/** Different names within one element. */
const maximumNames = 500;
const maximumAttributes = 50;
const maximumTextLength = 65_536;
const batchLength = 4096;
/** How long the event loop may be blocked at once. */
const sliceMs = 5;

/**
 * Reads the root element of a document. Other libraries parse in one go: an answer of 5 MiB blocks them for seconds. This
 * one is linear in the length and lets other work run in between.
 *
 * Document types are refused, and with them all entities but the five of XML and character references.
 *
 * @throws XmlFault
 */
export async function parseXml(text: string, reader: ItemReader | null = null): Promise<Element> {
  const parser = new Parser(text, reader);
  for (;;) {
    const until = performance.now() + sliceMs;
    do {
      if (!parser.advance()) return parser.document();
    } while (performance.now() < until);
    await setImmediate();
  }
}

interface OpenElement {
  readonly name: string;
  readonly children: Record<string, unknown>;
  /** The names in it, without repetitions. */
  names: number;
  text: string;
}

const nameAt = /[^\s<>/=&"'!?]{1,256}/y;
const attributeAt = /\s+([^\s<>/=&"'!?]{1,256})\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const tagEndAt = /\s*(\/?)>/y;

class Parser {
  readonly #text: string;
  readonly #reader: ItemReader | null;
  readonly #open: OpenElement[] = [openElement('')];
  #at = 0;

  constructor(text: string, reader: ItemReader | null) {
    this.#text = text;
    this.#reader = reader;
  }

  /** Reads some tags, so that the clock need not be read for each; false at the end of the text. */
  advance(): boolean {
    const until = this.#at + batchLength;
    while (this.#at < until) if (!this.#next()) return false;
    return true;
  }

  #next(): boolean {
    const start = this.#text.indexOf('<', this.#at);
    this.#addText(this.#text.slice(this.#at, start < 0 ? undefined : start), true);
    if (start < 0) return false;
    this.#at = start;
    if (this.#skip('<!--', '-->') !== null || this.#skip('<?', '?>') !== null) return true;
    const literal = this.#skip('<![CDATA[', ']]>');
    if (literal !== null) this.#addText(literal, false);
    else if (this.#text.startsWith('</', start)) this.#close();
    else this.#openTag();
    return true;
  }

  document(): Record<string, unknown> {
    const [document] = this.#open;
    if (!document || this.#open.length !== 1) throw new XmlFault('An element has no end.');
    return document.children;
  }

  /** What stands between them; null for something else. */
  #skip(opening: string, closing: string): string | null {
    if (!this.#text.startsWith(opening, this.#at)) return null;
    const from = this.#at + opening.length;
    const end = this.#text.indexOf(closing, from);
    if (end < 0) throw new XmlFault(`${opening} has no end.`);
    this.#at = end + closing.length;
    return this.#text.slice(from, end);
  }

  #openTag(): void {
    this.#at += 1;
    const element = openElement(this.#match(nameAt)[0]);
    if (this.#open.length > maximumDepth) throw new XmlFault('Elements are nested too deeply.');
    for (let count = 0; ; count++) {
      const attribute = this.#tryMatch(attributeAt);
      if (!attribute) break;
      if (count === maximumAttributes) throw new XmlFault('An element has too many attributes.');
      add(element, `@${attribute[1]}`, decode(attribute[2] ?? attribute[3] ?? ''));
    }
    const [, slash] = this.#match(tagEndAt);
    this.#open.push(element);
    if (slash === '/') this.#finish();
  }

  #close(): void {
    this.#at += 2;
    const [name] = this.#match(nameAt);
    const [, slash] = this.#match(tagEndAt);
    if (slash === '/' || name !== this.#innermost().name || this.#open.length === 1)
      throw new XmlFault('An element ends that is not open.');
    this.#finish();
  }

  #finish(): void {
    const element = this.#innermost();
    this.#open.pop();
    if (this.#open.length === itemDepth && this.#reader?.name === element.name) this.#reader.take(element.children);
    else add(this.#innermost(), element.name, element.names > 0 ? element.children : element.text.trim());
  }

  #addText(raw: string, hasReferences: boolean): void {
    if (raw === '') return;
    if (this.#open.length === 1 && raw.replace('\ufeff', '').trim() !== '')
      throw new XmlFault('There is text outside of the root element.');
    const element = this.#innermost();
    const left = maximumTextLength - element.text.length;
    if (left > 0) element.text += hasReferences ? decode(raw.slice(0, left)) : raw.slice(0, left);
  }

  #innermost(): OpenElement {
    const element = this.#open.at(-1);
    if (!element) throw new XmlFault('No element is open.');
    return element;
  }

  #match(pattern: RegExp): RegExpExecArray {
    const found = this.#tryMatch(pattern);
    if (!found) throw new XmlFault('A tag cannot be read.');
    return found;
  }

  #tryMatch(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }
}

function openElement(name: string): OpenElement {
  // No prototype: metadata may be called `constructor`.
  return { name, children: Object.create(null) as Record<string, unknown>, names: 0, text: '' };
}

function add(parent: OpenElement, name: string, value: unknown): void {
  const known = parent.children[name];
  if (known === undefined) {
    if (++parent.names > maximumNames) throw new XmlFault('An element has too many different names in it.');
    parent.children[name] = value;
  } else if (Array.isArray(known)) known.push(value);
  else parent.children[name] = [known, value];
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decode(raw: string): string {
  if (!raw.includes('&')) return raw;
  return raw.replaceAll(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi,
    (reference, decimal: string | undefined, hexadecimal: string | undefined, entity: string | undefined) => {
      if (entity !== undefined) return entities[entity.toLowerCase()] ?? reference;
      const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : reference;
    },
  );
}
