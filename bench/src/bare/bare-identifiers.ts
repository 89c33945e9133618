const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

export function encodeUlid(uuid: string): string {
  const hex = uuid.replaceAll('-', '');
  let text = '';
  // 130 bits: two of padding, then four for each digit.
  let bits = 2;
  let rest = 0;
  for (let index = 0; index < 32; index++) {
    const code = hex.charCodeAt(index);
    rest = (rest << 4) | (code > 96 ? code - 87 : code - 48);
    bits += 4;
    if (bits < 5) continue;
    bits -= 5;
    text += alphabet.charAt((rest >> bits) & 31);
    rest &= (1 << bits) - 1;
  }
  return text;
}

/** Decodes `room_` and 26 characters. */
export function decodeUuid(id: string): string {
  let value = 0n;
  for (const character of id.slice(5)) value = (value << 5n) | BigInt(alphabet.indexOf(character));
  const hex = value.toString(16).padStart(32, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
