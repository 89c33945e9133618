import { randomInt } from 'node:crypto';

export function randomName(length: number): string {
  let name = '';
  for (let index = 0; index < length; index++) name += alphabet.charAt(randomInt(alphabet.length));
  return name;
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
