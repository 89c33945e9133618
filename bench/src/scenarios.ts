import type { Scenario } from './measure/load.ts';

export function createScenarios(rooms: readonly string[]): Record<'list' | 'read' | 'create', Scenario> {
  const paths = rooms.map((uuid) => `/api/v1/rooms/${printRoomId(uuid)}`);
  return {
    list: {
      name: 'GET /rooms?limit=20',
      method: 'GET',
      paths: ['/api/v1/rooms?limit=20&orderBy=created_at&sortedBy=desc'],
      body: null,
      status: 200,
    },
    read: { name: 'GET /rooms/{id}', method: 'GET', paths, body: null, status: 200 },
    create: {
      name: 'POST /rooms/{id}/tokens',
      method: 'POST',
      paths: paths.map((path) => `${path}/tokens`),
      body: JSON.stringify({ role: 'attendee', name: 'Weekly guests' }),
      status: 201,
    },
  };
}

/** The identifier in the format of the API. */
function printRoomId(uuid: string): string {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
  let value = BigInt(`0x${uuid.replaceAll('-', '')}`);
  let text = '';
  for (let index = 0; index < 26; index++, value >>= 5n) text = alphabet.charAt(Number(value & 31n)) + text;
  return `room_${text}`;
}
