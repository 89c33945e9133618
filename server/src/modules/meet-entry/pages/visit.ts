import type { RoomRole } from '@foyer/contract/resources/rooms/room.ts';
import type { EntryRefusal } from '@foyer/contract/resources/rooms/room-entry.ts';
import type { FastifyRequest } from 'fastify';
import type { Dependencies } from '../../../dependencies.ts';
import { cutText, maxNameLength } from '../../../platform/text/cut-text.ts';
import { notFound } from '../../../platform/failures.ts';
import { brandOf } from '../../../platform/page/page-layout.tsx';
import { basePath } from '../../../platform/page/page-options.ts';
import { type Catalogues, textsFor } from '../../../platform/text/catalogues.ts';
import { acceptedLocales } from '../../../platform/time/relative-time.ts';
import { parseIdentifier, printIdentifier, type Uuid } from '../../../platform/identity/identifier.ts';
import { type SignedInUser, findRoomPageUser } from '../../auth/index.ts';
import { type Appearance, appearanceOf, withAppearance } from '../../customers/index.ts';
import { currentMeeting } from '../../meetings/index.ts';
import { findServiceProvider } from '../../service-providers/index.ts';
import { recordingsToWatch, type WatchableRecording } from '../../recordings/index.ts';
import { type RoomTokenRow, roomUrl } from '../../rooms/index.ts';
import {
  checkAccess,
  checkCredential,
  isCodeProtected,
  loadAccess,
  type LoadedAccess,
  mayManageVideos,
  mayStart,
  memberRole,
  type PresentedCredential,
  type TokenTimes,
} from '../../room-access/index.ts';
import { readRememberedToken, readLanguage, readSignIn } from './cookies.ts';
import { cleanName } from '../clean-name.ts';
import type { PasswordHelp, RoomChrome, RoomHeader } from './page-types.ts';
import { formTargetsOf, type PagePolicy } from './response.ts';
import { pageTexts, textsForRoomType } from './texts.ts';

/** A visit to the page of a room. */
export interface Visit {
  readonly roomId: Uuid;
  readonly chrome: RoomChrome;
  readonly room: RoomHeader;
  /** The room's path, without the slug. */
  readonly path: string;
  /** The room's path from the root, with the token in it. */
  readonly href: string;
  readonly waitingHref: string;
  /** The event stream that tells waiting visitors when the meeting starts. */
  readonly waitingEventsHref: string;
  readonly signInHref: string;
  readonly signOutHref: string;
  readonly passwordHelp: PasswordHelp;
  /** The page for uploads; null for visitors who may not upload. */
  readonly uploadsHref: string | null;
  /** The room's address without a token. */
  readonly hrefWithoutToken: string;
  /** Whether the request has the current address of the room: its id in the usual form, and the current slug. */
  readonly hasCanonicalUrl: boolean;
  /** The token for the join: from the address, or remembered from an earlier visit. */
  readonly token: string | null;
  /** Whether the remembered token is no longer valid. */
  readonly isRememberedTokenInvalid: boolean;
  /** The signed-in user. */
  readonly user: SignedInUser | null;
  /** Whether the visitor has a sign-in cookie that is no longer valid. */
  readonly hasSignInExpired: boolean;
  /** The room token, if it belongs to the room. */
  readonly tokenId: Uuid | null;
  /** The user to whom a personal token is bound. */
  readonly tokenUserId: Uuid | null;
  /** The name in the token; null if several people may use the token. */
  readonly invitedName: string | null;
  /** The role of the user in this room without a token. */
  readonly memberRole: RoomRole | null;
  readonly role: RoomRole | null;
  /** The times of the token, and the customer's time zone in which the page shows them. */
  readonly tokenTimes: { readonly token: TokenTimes | null; readonly timeZone: string };
  /** Why a join is rejected, if no input in the form can change that. */
  readonly refusal: EntryRefusal | null;
  readonly needsCode: boolean;
  readonly isRunning: boolean;
  readonly mayStart: boolean;
  /** A video, live or simulcast room, which visitors watch instead of joining a meeting. */
  readonly isWatched: boolean;
  readonly pagePolicy: PagePolicy;
  /** Whether the code is accepted, if one is required. */
  acceptsCode(code: string | null): boolean;
  /** Recordings that the visitor can watch without joining. */
  loadRecordings(): Promise<readonly WatchableRecording[]>;
}

export interface PageAddress {
  readonly roomId: string;
  readonly slug: string | undefined;
  readonly token: string | null;
}

export function uploadsAddress(roomHref: string): string {
  return `${roomHref}/uploads`;
}

/** Reads everything that the page needs. Viewing a page changes nothing. @throws 404 */
export async function loadVisit(
  dependencies: Dependencies,
  request: FastifyRequest,
  pageAddress: PageAddress,
): Promise<Visit> {
  const { db, clock, settings, publicUrl } = dependencies;
  const roomId = parseIdentifier('room', pageAddress.roomId);
  if (!roomId) throw notFound('The room was not found.');
  const now = clock.now();
  const signIn = readSignIn(request);
  const [loaded, meeting, user] = await Promise.all([
    loadAccess(db, roomId, clock.today(settings().system_timezone), now),
    currentMeeting(db, roomId),
    signIn === null ? null : findRoomPageUser(dependencies, signIn),
  ]);
  const { rules, providers, room } = loaded;
  // As in the API, a token decides about the role, even if a user is signed in.
  const staffRole = user === null || pageAddress.token !== null ? null : await memberRole(db, user.id, roomId);
  const mayUpload = user !== null && room.room_type === 'video' && (await mayManageVideos(db, user.id, roomId));
  const visitor: Visitor = { token: pageAddress.token, staffRole, userId: user?.id ?? null };
  const [{ credential, role, refusals, shownToken: token, isRememberedTokenInvalid, token: tokenRow }, appearance] =
    await Promise.all([checkPresented(dependencies, request, loaded, visitor), appearanceOf(db, room.customer_id)]);
  const meetingProvider = meeting?.service_provider_id
    ? await findServiceProvider(db, meeting.service_provider_id)
    : undefined;
  const address = new URL(roomUrl(publicUrl(), room)).pathname;
  const query = pageAddress.token === null ? '' : `?token=${encodeURIComponent(pageAddress.token)}`;
  const refusal = refusals.find((code) => !isAboutCode(code)) ?? null;
  const needsCode = role !== null && staffRole === null && isCodeProtected(rules, role);
  const chrome = chromeFor(dependencies, request);
  return {
    roomId,
    chrome: withCleanAppearance(
      { ...chrome, texts: textsForRoomType(chrome.texts, room.room_type, rules) },
      appearance,
    ),
    room: headerOf(loaded, appearance),
    path: address.slice(0, address.lastIndexOf('/')),
    href: `${address}${query}`,
    waitingHref: `${address}/waiting${query}`,
    waitingEventsHref: `${address}/waiting/news${query}`,
    signInHref: `${address}/sign-in${query}`,
    uploadsHref: mayUpload ? uploadsAddress(address) : null,
    passwordHelp: {
      forgottenPasswordHref: dependencies.mailer ? `${address}/forgotten-password${query}` : null,
      supportUrl: appearance.supportUrl,
    },
    signOutHref: `${address}/sign-out${query}`,
    hrefWithoutToken: address,
    hasCanonicalUrl: pageAddress.slug === room.slug && pageAddress.roomId === printIdentifier('room', roomId),
    token,
    isRememberedTokenInvalid,
    user,
    hasSignInExpired: signIn !== null && user === null,
    tokenId: tokenRow?.id ?? null,
    tokenUserId: tokenRow?.user_id ?? null,
    invitedName: tokenRow && invitedNameOf(tokenRow),
    memberRole: staffRole,
    role,
    tokenTimes: { token: tokenRow, timeZone: loaded.timeZone },
    refusal,
    needsCode,
    isRunning: meeting?.state === 'open',
    mayStart: role !== null && mayStart(rules, role),
    isWatched: room.room_type !== 'meet',
    pagePolicy: {
      formTargets: formTargetsOf(dependencies, meetingProvider ? [...providers, meetingProvider] : providers),
      frameOrigins: appearance.frameOrigins,
    },
    acceptsCode: (accessCode) => !checkAccess(rules, { ...credential, accessCode }).refusals.some(isAboutCode),
    // A visitor who is rejected or has not entered the code has no credential yet.
    loadRecordings: () => recordingsToWatch(dependencies, room, needsCode || refusal !== null ? null : role),
  };
}

export function isAboutCode(code: EntryRefusal): boolean {
  return code === 'access-code-required' || code === 'access-code-wrong' || code === 'access-code-other-role';
}

export function chromeFor(dependencies: Dependencies, request: FastifyRequest): RoomChrome {
  const { catalogues, settings, publicUrl } = dependencies;
  const chosen = languageIn(request) ?? readLanguage(request);
  const accepted = acceptedLocales(request.headers['accept-language']);
  const texts = pageTexts(textsFor(catalogues, chosen, ...accepted, settings().system_locale));
  return {
    ...brandOf(settings(), publicUrl()),
    texts,
    timeZone: settings().system_timezone,
    languages: { label: texts.chooseLanguage, options: languageOptions(catalogues, request) },
    roomsPath: `${basePath({ publicUrl })}/rooms`,
  };
}

/** The language that the visitor has just chosen. */
export function languageIn({ query }: FastifyRequest): string | undefined {
  const { lang } = query as { lang?: string | string[] };
  return typeof lang === 'string' && /^[a-z]{2,3}([-_][a-z\d]{2,8}){0,2}$/i.test(lang) ? lang : undefined;
}

/** Links to the current page in other languages. */
function languageOptions(catalogues: Catalogues, request: FastifyRequest) {
  const address = new URL(request.url, 'http://localhost');
  return [...catalogues.values()]
    .toSorted((one, other) => one.languageName.localeCompare(other.languageName))
    .map(({ language, languageName }) => {
      address.searchParams.set('lang', language);
      return { language, name: languageName, href: address.search };
    });
}

type Visitor = Pick<PresentedCredential, 'token' | 'staffRole' | 'userId'>;

/** A wrong token in the address counts as a failed attempt. A remembered token is used only while it is valid. */
async function checkPresented(
  dependencies: Dependencies,
  request: FastifyRequest,
  { room, rules }: LoadedAccess,
  visitor: Visitor,
) {
  const target = { roomId: room.id, rules, address: request.ip };
  const isGuest = visitor.token === null && visitor.staffRole === null;
  const remembered = isGuest ? readRememberedToken(request, room.id) : null;
  if (remembered !== null) {
    const returning = { ...visitor, token: remembered, accessCode: null };
    const presented = await checkCredential(dependencies, target, returning);
    if (!presented.refusals.some((code) => code.startsWith('token-')))
      return { ...presented, shownToken: remembered, isRememberedTokenInvalid: false };
  }
  const presented = await checkCredential(dependencies, target, { ...visitor, accessCode: null });
  return { ...presented, shownToken: visitor.token, isRememberedTokenInvalid: remembered !== null };
}

/** Applies the appearance of the customer. Its brand name is cleaned, since customers write it. */
function withCleanAppearance(chrome: RoomChrome, appearance: Appearance): RoomChrome {
  const { brandName } = appearance;
  return withAppearance(chrome, { ...appearance, brandName: brandName === null ? null : cleanName(brandName) });
}

function headerOf({ room, settings, customerName }: LoadedAccess, { heroImage }: Appearance): RoomHeader {
  return {
    name: cleanName(room.room_name),
    customerName: cleanName(customerName),
    heroImage: textOf(settings['hero_image']) ?? heroImage,
    description: textOf(settings['description']),
  };
}

function invitedNameOf({ name, batch_id: batchId, max_uses: maxUses }: RoomTokenRow): string | null {
  const isForOnePerson = batchId !== null || maxUses === 1;
  return isForOnePerson && name !== null ? cleanName(cutText(name, maxNameLength)) : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
