import { XMLParser } from 'fast-xml-parser';
import { invalid } from './request/refusals.ts';

/** A presentation in the body of a `create` call. Only the size of its content is stored. */
export interface PresentationDocument {
  name: string;
  /** Null if the content was in the request. */
  url: string | null;
  sizeBytes: number;
  current: boolean;
  downloadable: boolean;
  removable: boolean;
}

/** Reads `<modules><module name="presentation"><document …/></module></modules>`. */
export function readDocuments(xml: string): PresentationDocument[] {
  return modulesNamed(xml, 'presentation').flatMap((module) => children(module, 'document').map(readDocument));
}

/** The JSON text of `<module name="clientSettingsOverride">`; null without one. Text that is not JSON is ignored. */
export function readClientSettings(xml: string): string | null {
  const [module] = modulesNamed(xml, 'clientSettingsOverride');
  const content = child(module, '#text');
  if (typeof content !== 'string') return null;
  try {
    JSON.parse(content);
    return content;
  } catch {
    return null;
  }
}

function modulesNamed(xml: string, name: string): unknown[] {
  if (xml.trim() === '') return [];
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml)) throw invalid('The XML body must not declare a DTD');
  let root: unknown;
  try {
    root = parser.parse(xml, true);
  } catch {
    throw invalid('The XML body is not well-formed');
  }
  return children(child(root, 'modules'), 'module').filter((module) => attribute(module, 'name') === name);
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  alwaysCreateTextNode: true,
  parseTagValue: false,
  parseAttributeValue: false,
  isArray: (name) => name === 'module' || name === 'document',
});

function readDocument(document: unknown): PresentationDocument {
  const url = attribute(document, 'url') ?? null;
  const content = child(document, '#text');
  return {
    name: attribute(document, 'filename') ?? attribute(document, 'name') ?? nameFrom(url),
    url,
    sizeBytes: url === null && typeof content === 'string' ? Buffer.from(content, 'base64').length : 0,
    current: attribute(document, 'current') === 'true',
    downloadable: attribute(document, 'downloadable') === 'true',
    removable: attribute(document, 'removable') !== 'false',
  };
}

function nameFrom(url: string | null): string {
  return url?.split(/[?#]/, 1)[0]?.split('/').at(-1) || 'document';
}

function child(node: unknown, name: string): unknown {
  return typeof node === 'object' && node !== null ? (node as Record<string, unknown>)[name] : undefined;
}

function children(node: unknown, name: string): unknown[] {
  const element = child(node, name);
  return Array.isArray(element) ? element : [];
}

function attribute(node: unknown, name: string): string | undefined {
  const value = child(node, `@${name}`);
  return typeof value === 'string' ? value : undefined;
}
