import type { EntryRefusal } from '@foyer/contract/resources/rooms/room-entry.ts';
import type { Texts } from '../../../platform/text/catalogues.ts';

/** The texts of the room pages in one language. */
export type PageTexts = Omit<Texts['room'], 'refusalTitles'> &
  Pick<Texts, 'language' | 'direction' | 'help'> & {
    readonly refusalTitles: Readonly<Partial<Record<EntryRefusal, string>>>;
  };

export function pageTexts({ language, direction, help, room }: Texts): PageTexts {
  return { ...room, language, direction, help };
}
