import sax from 'sax';
import { nextTurn } from '../../../platform/limits/next-turn.ts';

/** Attributes as `@name`; child elements as text or elements, several of one name as a list. */
export type Element = { readonly [name: string]: unknown };

/** Receives the items of a list while it is parsed, so that a long list is never in memory as a tree. */
export interface ItemReader {
  /** The name of the items, which are two levels below the root, as `meeting` in `<response><meetings><meeting>`. */
  readonly name: string;
  take(item: Element): void;
}

/** The text is not XML that an API would return. */
export class XmlFault extends Error {}

/**
 * The limit of an answer without a list, and of each item of a list. A meeting with 5,000 people has fewer elements.
 */
const maximumElements = 60_000;
const maximumDepth = 32;
/** The depth of an item, which is inside of the document, the root and the list. */
const itemDepth = 3;
/** Different names within one element. */
const maximumNames = 500;
const maximumAttributes = 50;
const maximumTextLength = 65_536;
const batchLength = 4096;
/** How long the event loop may be blocked at once. */
const sliceMs = 2;

/**
 * Reads the root element of a document in slices, so that other work runs in between: an answer of 5 MiB takes up to
 * a second. Document types are rejected, and with them entities that a document declares.
 *
 * @throws XmlFault
 */
export async function parseXml(text: string, reader: ItemReader | null = null): Promise<Element> {
  const tree = createTree(reader);
  const parser = sax.parser(true, { position: false });
  let fault: XmlFault | null = null;
  const refuse = (message: string) => (fault ??= new XmlFault(message));
  const attempt = (act: () => void) => {
    try {
      if (!fault) act();
    } catch (error) {
      if (!(error instanceof XmlFault)) throw error;
      fault = error;
    }
  };
  let attributes: [string, string][] = [];
  const handlers: Partial<sax.SAXParser> = {
    onerror({ message }) {
      // An invalid character reference, such as `&#0;` in a name, stays as it is, so that the answer can still be read.
      if (message.startsWith('Invalid character entity')) Object.assign(parser, { error: null });
      else refuse(message.split('\n', 1)[0] ?? message);
    },
    ondoctype: () => refuse('Document types are refused.'),
    onopentagstart: () => (attributes = []),
    onattribute({ name, value }) {
      if (attributes.length === maximumAttributes) refuse('An element has too many attributes.');
      else attributes.push([name, value]);
    },
    onopentag: ({ name }) => attempt(() => tree.open(name, attributes)),
    ontext: (part) => attempt(() => tree.addText(part)),
    oncdata: (part) => attempt(() => tree.addText(part)),
    onclosetag: () => attempt(() => tree.close()),
  };
  Object.assign(parser, handlers);
  const write = (part: string | null) => {
    // The parser throws its first error at the next write.
    if (part === null) parser.close();
    else parser.write(part);
    if (fault) throw fault;
  };
  for (let position = 0; position < text.length;) {
    const sliceEndMs = performance.now() + sliceMs;
    for (; position < text.length && performance.now() < sliceEndMs; position += batchLength)
      write(text.slice(position, position + batchLength));
    await nextTurn();
  }
  write(null);
  return tree.document();
}

interface OpenElement {
  readonly name: string;
  readonly children: Record<string, unknown>;
  /** How many different names the children have. */
  nameCount: number;
  text: string;
}

function createTree(reader: ItemReader | null) {
  const document = openElement('');
  const stack: OpenElement[] = [document];
  let elementCount = 0;
  const innermost = () => stack.at(-1) ?? document;
  return {
    open(name: string, attributes: readonly (readonly [string, string])[]): void {
      if (++elementCount > maximumElements) throw new XmlFault('There are too many elements.');
      if (stack.length > maximumDepth) throw new XmlFault('Elements are nested too deeply.');
      if (stack.length === 1 && document.nameCount > 0) throw new XmlFault('There is a second root element.');
      const element = openElement(name);
      for (const [attribute, value] of attributes) add(element, `@${attribute}`, value);
      stack.push(element);
    },
    addText(part: string): void {
      const element = innermost();
      element.text += part.slice(0, Math.max(0, maximumTextLength - element.text.length));
    },
    close(): void {
      const element = stack.pop();
      if (!element) return;
      if (stack.length === itemDepth && reader?.name === element.name) {
        elementCount = 0;
        reader.take(element.children);
      } else add(innermost(), element.name, element.nameCount > 0 ? element.children : element.text.trim());
    },
    document: () => document.children,
  };
}

function openElement(name: string): OpenElement {
  // No prototype: metadata may be called `constructor`.
  return { name, children: Object.create(null) as Record<string, unknown>, nameCount: 0, text: '' };
}

function add(parent: OpenElement, name: string, value: unknown): void {
  const existing = parent.children[name];
  if (existing === undefined) {
    if (++parent.nameCount > maximumNames) throw new XmlFault('An element has too many different names in it.');
    parent.children[name] = value;
  } else if (Array.isArray(existing)) existing.push(value);
  else parent.children[name] = [existing, value];
}
