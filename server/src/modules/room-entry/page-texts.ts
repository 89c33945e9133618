import type { RoomRole } from '@foyer/contract/room.ts';
import type { EntryRefusal } from '@foyer/contract/room-entry.ts';
import { parseAcceptLanguage } from '../../platform/relative-time.ts';
import { refusalSentences } from './refusals.ts';

/** Everything that the room pages say, in one language. */
export interface PageTexts {
  readonly language: string;
  readonly invitesYou: (customer: string) => string;
  readonly comingAs: Record<RoomRole, string>;
  readonly state: {
    readonly open: string;
    readonly notStarted: string;
    readonly closed: string;
    readonly invited: string;
  };
  readonly name: string;
  readonly nameHint: string;
  readonly nameMissing: string;
  readonly nameTooLong: string;
  readonly accessCode: string;
  readonly accessCodeHint: string;
  readonly enter: string;
  readonly start: string;
  readonly enterAndWait: string;
  readonly opening: string;
  readonly willWait: string;
  readonly about: string;
  readonly refusalTitles: Partial<Record<EntryRefusal, string>>;
  readonly refusalTitle: string;
  readonly refusals: Record<EntryRefusal, string>;
  readonly retry: string;
  readonly providerUnavailable: string;
  readonly tooManyRequests: string;
  readonly foreignOriginTitle: string;
  readonly foreignOrigin: string;
  readonly openTheRoom: string;
  readonly waitingTitle: string;
  readonly waitingLead: string;
  readonly waitingAs: (name: string) => string;
  readonly stopWaiting: string;
  readonly readyTitle: string;
  readonly readyLead: string;
  readonly enterNow: string;
  readonly notFoundTitle: string;
  readonly notFound: string;
  readonly brokenTitle: string;
  readonly broken: string;
  readonly tooManyRequestsTitle: string;
  readonly badRequestTitle: string;
  readonly badRequest: string;
  readonly requestId: (id: string) => string;
  readonly help: string;
}

const en: PageTexts = {
  language: 'en',
  invitesYou: (customer) => `${customer} invites you to`,
  comingAs: {
    moderator: 'You are coming in as a moderator',
    attendee: 'You are coming in as a participant',
    guest: 'You are coming in as a guest',
  },
  state: { open: 'The meeting is on', notStarted: 'Not started yet', closed: 'Closed', invited: 'By invitation' },
  name: 'Your name',
  nameHint: 'This is how the others see you.',
  nameMissing: 'Enter your name, so that the others know who you are.',
  nameTooLong: 'This name is too long. Use at most 100 characters.',
  accessCode: 'Access code',
  accessCodeHint: 'It came with your invitation. Capitals make no difference.',
  enter: 'Come in',
  start: 'Start the meeting',
  enterAndWait: 'Wait at the door',
  opening: 'Opening the door…',
  willWait: 'You can wait here: the door opens by itself as soon as a moderator starts the meeting.',
  about: 'About this room',
  refusalTitles: {
    'room-inactive': 'This room is closed',
    'no-usable-provider': 'This room cannot open now',
    'token-required': 'You need an invitation',
    'token-unknown': 'This invitation does not fit',
    'token-expired': 'This invitation has expired',
    'guest-access-off': 'No guests here',
    'participant-minutes-used-up': 'The minutes are used up',
    'room-full': 'The room is full',
  },
  refusalTitle: 'This room is not available',
  refusals: refusalSentences,
  retry: 'Try again',
  providerUnavailable: 'The meeting server does not answer at the moment. Wait a little, then try again.',
  tooManyRequests: 'That was too often in a short time. Wait a minute, then try again.',
  foreignOriginTitle: 'Come in by the front door',
  foreignOrigin: 'This request came from another site, so nobody was let in. Open the room and enter from there.',
  openTheRoom: 'Open the room',
  waitingTitle: 'You are at the door',
  waitingLead:
    'The meeting has not started yet. Keep this page open: you are let in by itself as soon as a moderator starts it.',
  waitingAs: (name) => `Waiting as ${name}`,
  stopWaiting: 'Stop waiting',
  readyTitle: 'The door is open',
  readyLead: 'The meeting has started. Come in.',
  enterNow: 'Enter now',
  notFoundTitle: 'There is no room here',
  notFound: 'The address may be mistyped, or the room is gone. Ask whoever invited you for the right link.',
  brokenTitle: 'Something is broken on our side',
  broken: 'Please try again in a moment. If it stays like this, tell whoever invited you.',
  tooManyRequestsTitle: 'Please wait a minute',
  badRequestTitle: 'This could not be understood',
  badRequest: 'Open the room again by your invitation link.',
  requestId: (id) => `Reference for support: ${id}`,
  help: 'Help',
};

const catalogue: Readonly<Record<string, PageTexts>> = { en };

/** The visitor's language where there are texts for it, else the platform's, else English. */
export function textsFor(acceptLanguage: string | undefined, systemLocale: string): PageTexts {
  for (const locale of [parseAcceptLanguage(acceptLanguage), systemLocale]) {
    const texts = locale === null ? undefined : catalogue[new Intl.Locale(locale).language];
    if (texts) return texts;
  }
  return en;
}
