import type { EntryRefusal } from '@foyer/contract/resources/rooms/room-entry.ts';
import type { ServiceType } from '@foyer/contract/resources/providers/provider-types.ts';
import type { Texts } from '../../../platform/text/catalogues.ts';
import { isViewerLimit, type LoadedAccess } from '../../room-access/index.ts';

/** The texts of the room pages in one language. */
export type PageTexts = Omit<Texts['room'], 'refusalTitles' | 'devices' | 'comingAs'> &
  Pick<Texts, 'language' | 'direction' | 'help'> & {
    readonly refusalTitles: Readonly<Partial<Record<EntryRefusal, string>>>;
    /** Null if the visitor needs no microphone and no camera. */
    readonly devices: Texts['room']['devices'] | null;
    /** Null for those who only watch. */
    readonly comingAs: Readonly<Record<keyof Texts['room']['comingAs'], string | null>>;
    readonly goLive: string;
  };

export function pageTexts({ language, direction, help, room, broadcast }: Texts): PageTexts {
  return { ...room, language, direction, help, goLive: broadcast.title };
}

/** Visitors of video, live and simulcast rooms watch; they join no meeting. */
export function textsForRoomType(
  texts: PageTexts,
  roomType: ServiceType,
  { hasViewers, zeroLimits }: Pick<LoadedAccess['rules'], 'hasViewers' | 'zeroLimits'>,
): PageTexts {
  if (roomType === 'meet') return texts;
  const isOnlyForOutputs = !hasViewers && zeroLimits.every(isViewerLimit);
  const { open, nameHint, enter: watch, opening, refusalTitles, refusals, providerUnavailable } = texts.watching;
  const zeroLimitText = isOnlyForOutputs ? texts.watching.onlyOutputs : refusals['limit-is-zero'];
  const enter = hasViewers ? watch : texts.goLive;
  return {
    ...texts,
    state: { ...texts.state, open, notStarted: open },
    nameHint,
    comingAs: { ...texts.comingAs, attendee: null, guest: null },
    enter,
    start: enter,
    opening,
    devices: null,
    refusalTitles: { ...texts.refusalTitles, ...refusalTitles },
    refusals: { ...texts.refusals, ...refusals, 'limit-is-zero': zeroLimitText },
    providerUnavailable,
  };
}
