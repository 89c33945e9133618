import { printIdentifier, type Uuid } from '../../platform/identity/identifier.ts';

/** The room's page. Only the id identifies the room; the slug is for readability. */
export function roomUrl(publicUrl: string, room: { id: Uuid; slug: string }): string {
  return `${publicUrl}/rooms/${printIdentifier('room', room.id)}/${room.slug}`;
}

export function tokenUrl(publicUrl: string, room: { id: Uuid; slug: string }, token: string): string {
  return `${roomUrl(publicUrl, room)}?token=${encodeURIComponent(token)}`;
}
