import { type User, isModerator, joinedUsers, presenterOf, waitingUsers } from '../world/meeting.ts';
import { canStartRecording } from '../world/recording.ts';
import type { Session } from '../world/meeting-table.ts';

/** The state of a meeting as one user may see it. The page is rendered from it, and the script refreshes it. */
export interface ClientView {
  status: ClientStatus;
  meetingName: string;
  people: Person[];
  /** Only for moderators. */
  waiting: (Avatar & { userID: string; name: string })[];
  /** The newest messages, in order of time. */
  messages: { userName: string; message: string }[];
  isRecording: boolean;
  canRecord: boolean;
}

/** Open: can enter, but has not done so. Replaced: ejected by newer sessions of the same user. */
export type ClientStatus = 'in' | 'open' | 'waiting' | 'denied' | 'replaced' | 'ended';

export interface Person extends Avatar {
  name: string;
  tag: 'Moderator' | 'Presenter' | 'Viewer' | 'Guest';
  isYou: boolean;
}

export interface Avatar {
  /** Two letters at most. */
  initials: string;
  /** Index of the background color (0 to 5), derived from the name. */
  colorIndex: number;
}

export function viewFor({ meeting, user }: Session): ClientView {
  const status = statusOf({ meeting, user });
  const canSeeMeeting = status === 'in';
  const presenter = presenterOf(meeting);
  return {
    status,
    meetingName: meeting.name,
    people: canSeeMeeting
      ? joinedUsers(meeting).map((person) => describePerson(person, person === user, person === presenter))
      : [],
    waiting:
      canSeeMeeting && isModerator(user)
        ? waitingUsers(meeting).map(({ internalId, fullName }) => ({
            userID: internalId,
            name: fullName,
            ...createAvatar(fullName),
          }))
        : [],
    messages: canSeeMeeting
      ? meeting.chat.slice(-maxMessages).map(({ userName, message }) => ({ userName, message }))
      : [],
    isRecording: meeting.isRecording,
    canRecord:
      canSeeMeeting && isModerator(user) && meeting.settings.allowStartStopRecording && canStartRecording(meeting),
  };
}

const maxMessages = 20;

function statusOf({ meeting, user }: Session): ClientStatus {
  if (meeting.endedAt !== null) return 'ended';
  if (user.presence === 'ejected') return 'replaced';
  if (user.guestStatus === 'WAIT') return 'waiting';
  if (user.guestStatus === 'DENY') return 'denied';
  return user.presence === 'joined' ? 'in' : 'open';
}

function describePerson(user: User, isYou: boolean, isPresenter: boolean): Person {
  return { name: user.fullName, tag: tagOf(user, isPresenter), isYou, ...createAvatar(user.fullName) };
}

function tagOf(user: User, isPresenter: boolean): Person['tag'] {
  if (isPresenter) return 'Presenter';
  if (isModerator(user)) return 'Moderator';
  return user.isGuest ? 'Guest' : 'Viewer';
}

export function createAvatar(name: string): Pick<Person, 'initials' | 'colorIndex'> {
  const words = name.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const initialWords = words.length > 1 ? [words[0], words.at(-1)] : words;
  const initials = initialWords.map((word) => /[\p{L}\p{N}]/u.exec(word ?? '')?.[0] ?? '').join('');
  let sum = 0;
  for (const character of name) sum += character.codePointAt(0) ?? 0;
  return { initials: initials.toUpperCase() || '?', colorIndex: sum % 6 };
}
