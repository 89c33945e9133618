export type AmfValue = number | boolean | string | null | AmfObject;
export interface AmfObject {
  readonly [name: string]: AmfValue;
}

const maxDepth = 8;
const maxValues = 500;

/** Reads AMF0 values up to the end. @throws Error for invalid or too many values */
export function decodeAmf(bytes: Buffer): AmfValue[] {
  const reader = { bytes, at: 0, count: 0 };
  const values: AmfValue[] = [];
  while (reader.at < bytes.length) values.push(readValue(reader, 0));
  return values;
}

interface Reader {
  readonly bytes: Buffer;
  at: number;
  count: number;
}

function readValue(reader: Reader, depth: number): AmfValue {
  if (++reader.count > maxValues || depth > maxDepth) throw new Error('The command is too large.');
  const type = take(reader, 1)[0];
  switch (type) {
    case 0:
      return take(reader, 8).readDoubleBE(0);
    case 1:
      return take(reader, 1)[0] !== 0;
    case 2:
      return readText(reader);
    case 3:
      return readObject(reader, depth);
    case 5:
    case 6:
      return null;
    case 8:
      take(reader, 4);
      return readObject(reader, depth);
    case 10: {
      const length = take(reader, 4).readUInt32BE(0);
      const items: Record<string, AmfValue> = {};
      for (let index = 0; index < length; index++) items[index] = readValue(reader, depth + 1);
      return items;
    }
    case 11:
      return take(reader, 10).readDoubleBE(0);
    case 12:
      return take(reader, take(reader, 4).readUInt32BE(0)).toString('utf8');
    default:
      throw new Error('The command has a value of an unknown type.');
  }
}

function readObject(reader: Reader, depth: number): AmfObject {
  const entries: [string, AmfValue][] = [];
  for (;;) {
    const name = readText(reader);
    if (name === '' && reader.bytes[reader.at] === 9) {
      reader.at += 1;
      return Object.fromEntries(entries);
    }
    entries.push([name, readValue(reader, depth + 1)]);
  }
}

function readText(reader: Reader): string {
  return take(reader, take(reader, 2).readUInt16BE(0)).toString('utf8');
}

function take(reader: Reader, count: number): Buffer {
  const end = reader.at + count;
  if (end > reader.bytes.length) throw new Error('The command ends early.');
  const part = reader.bytes.subarray(reader.at, end);
  reader.at = end;
  return part;
}

export function encodeAmf(...values: readonly AmfValue[]): Buffer {
  return Buffer.concat(values.map(encodeValue));
}

function encodeValue(value: AmfValue): Buffer {
  if (value === null) return Buffer.from([5]);
  if (typeof value === 'boolean') return Buffer.from([1, value ? 1 : 0]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(9);
    bytes.writeDoubleBE(value, 1);
    return bytes;
  }
  if (typeof value === 'string') return Buffer.concat([Buffer.from([2]), encodeText(value)]);
  const members = Object.entries(value).flatMap(([name, member]) => [encodeText(name), encodeValue(member)]);
  return Buffer.concat([Buffer.from([3]), ...members, Buffer.from([0, 0, 9])]);
}

function encodeText(text: string): Buffer {
  const content = Buffer.from(text).subarray(0, 0xffff);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(content.length, 0);
  return Buffer.concat([length, content]);
}
