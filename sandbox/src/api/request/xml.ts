import { XMLBuilder } from 'fast-xml-parser';
import { type Answer, json } from '../../http/answer.ts';
import type { ApiRefusal } from './refusals.ts';

/** Elements in the order of insertion; an array repeats its element. */
export type XmlElements = { [name: string]: XmlValue };
export type XmlValue = string | number | boolean | XmlElements | XmlValue[];

/** HTTP 200 with returncode SUCCESS, followed by the given elements. */
export function success(elements: XmlElements): Answer {
  return xmlAnswer({ returncode: 'SUCCESS', ...elements });
}

/** Also HTTP 200: clients read the returncode. */
export function failed(refusal: ApiRefusal): Answer {
  return xmlAnswer({ returncode: 'FAILED', messageKey: refusal.key, message: refusal.message });
}

/** For calls with JSON responses. */
export function failedInJson({ key, message }: ApiRefusal): Answer {
  return json(200, { response: { returncode: 'FAILED', messageKey: key, message } });
}

export function xmlAnswer(response: XmlElements): Answer {
  return {
    status: 200,
    headers: { 'content-type': 'text/xml;charset=utf-8', 'cache-control': 'no-cache' },
    body: removeForbiddenCharacters(builder.build({ response })),
  };
}

/** `@name` is an attribute, `#text` the text next to attributes, `#cdata` an unescaped text. */
const builder = new XMLBuilder({
  suppressEmptyNode: true,
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  textNodeName: '#text',
  cdataPropName: '#cdata',
});

/** XML 1.0 cannot contain these characters, not even as references. */
function removeForbiddenCharacters(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');
}
