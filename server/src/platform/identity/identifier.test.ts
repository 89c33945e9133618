import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newUuid, parseIdentifier, printIdentifier, printUlid } from './identifier.ts';

test('every key can be printed and parsed in each of its three forms', () => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      expect(parseIdentifier('room', uuid)).toBe(uuid);
      expect(parseIdentifier('room', printUlid(uuid))).toBe(uuid);
      expect(parseIdentifier('room', printIdentifier('room', uuid))).toBe(uuid);
      expect(parseIdentifier('room', printIdentifier('room', uuid).toUpperCase())).toBe(uuid);
    }),
  );
});

test('the printed id is a TypeID, and ids have the order of their keys', () => {
  expect(printIdentifier('room', '01890a5d-ac96-774b-bcce-b302099a8057')).toBe('room_01h455vb4pex5vsknk084sn02q');
  const keys = Array.from({ length: 2000 }, newUuid);
  expect(keys.map(printUlid)).toEqual([...keys].sort().map(printUlid));
});

test('a wrong prefix, a wrong length, an invalid character or more than 128 bits is rejected', () => {
  const uuid = newUuid();
  for (const text of [
    printIdentifier('sub', uuid),
    printUlid(uuid).slice(1),
    `${printUlid(uuid)}0`,
    `room_${printUlid(uuid).slice(0, 25)}u`,
    `8${printUlid(uuid).slice(1)}`,
    `room-${printUlid(uuid)}`,
    'room_',
    '',
    uuid.replaceAll('-', ''),
    `{${uuid}}`,
    'x'.repeat(5000),
  ]) {
    expect(parseIdentifier('room', text)).toBeNull();
  }
});
