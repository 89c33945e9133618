/** @jsxImportSource preact */
import type { GuidePage } from './guide-page.tsx';
import { roomDoor } from './room-door.tsx';
import { roomLinks } from './room-links.tsx';
import { roomPages } from './room-pages.tsx';

export function comingIn(): GuidePage {
  return {
    slug: 'coming-in',
    title: 'Rooms and how people come in',
    lead: 'Links, codes and open doors; who is refused and why; and rooms inside of your own pages.',
    topics: [...roomLinks(), ...roomDoor(), ...roomPages()],
  };
}
