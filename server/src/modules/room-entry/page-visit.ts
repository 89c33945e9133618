import type { RoomRole } from '@foyer/contract/room.ts';
import type { EntryRefusal } from '@foyer/contract/room-entry.ts';
import type { FastifyRequest } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import { notFound } from '../../platform/failures.ts';
import { brandOf, type Chrome } from '../../platform/page/page-layout.tsx';
import { parseIdentifier, printIdentifier, type Uuid } from '../../platform/identifier.ts';
import { currentMeeting, findProvider } from '../meetings/index.ts';
import { roomUrl } from '../rooms/index.ts';
import { examine, isCodeProtected, mayStart } from './door.ts';
import { loadCredential, loadDoor, type LoadedDoor } from './load-door.ts';
import { readGuestToken } from './page-cookies.ts';
import type { RoomFace } from './page-door.tsx';
import { formTargetsOf } from './page-response.ts';
import { type PageTexts, textsFor } from './page-texts.ts';

/** What is the same on every page about rooms. */
export interface RoomChrome extends Chrome {
  readonly texts: PageTexts;
  /** Path below which the rooms are, as `/rooms`. */
  readonly roomsPath: string;
}

/** Somebody before a room's door. */
export interface Visit {
  readonly roomId: Uuid;
  readonly chrome: RoomChrome;
  readonly room: RoomFace;
  /** The room's path, without the slug. */
  readonly path: string;
  /** The room's address from the root, with the token that was shown in it. */
  readonly href: string;
  readonly waitingHref: string;
  /** Whether the request came to the address that the room has now. */
  readonly isAtAddress: boolean;
  /** What entering will be tried with: shown in the address, or remembered from an earlier visit. */
  readonly token: string | null;
  readonly role: RoomRole | null;
  /** Why nobody is let in, apart from what the form asks for. */
  readonly refusal: EntryRefusal | null;
  readonly needsCode: boolean;
  readonly isRunning: boolean;
  readonly mayStart: boolean;
  readonly formTargets: readonly string[];
  /** Whether the code is what the door wants, if it wants one. */
  acceptsCode(code: string | null): boolean;
}

export interface Shown {
  readonly roomId: string;
  readonly slug: string | undefined;
  readonly token: string | null;
}

/** Reads only: nothing is created by looking at a door. @throws 404 */
export async function loadVisit(dependencies: Dependencies, request: FastifyRequest, shown: Shown): Promise<Visit> {
  const { db, clock, settings, publicUrl } = dependencies;
  const roomId = parseIdentifier('room', shown.roomId);
  if (!roomId) throw notFound('The room was not found.');
  const now = clock.now();
  const [loaded, meeting] = await Promise.all([
    loadDoor(db, roomId, clock.today(settings().system_timezone), now),
    currentMeeting(db, roomId),
  ]);
  const { door, providers, room } = loaded;
  const { credential, token } = await credentialOf(dependencies, request, roomId, shown.token, now);
  const { role, refusals } = examine(door, credential);
  const current = meeting?.service_provider_id ? await findProvider(db, meeting.service_provider_id) : undefined;
  const address = new URL(roomUrl(publicUrl(), room)).pathname;
  const query = shown.token === null ? '' : `?token=${encodeURIComponent(shown.token)}`;
  return {
    roomId,
    chrome: chromeFor(dependencies, request),
    room: faceOf(loaded),
    path: address.slice(0, address.lastIndexOf('/')),
    href: `${address}${query}`,
    waitingHref: `${address}/waiting${query}`,
    isAtAddress: shown.slug === room.slug && shown.roomId === printIdentifier('room', roomId),
    token,
    role,
    refusal: refusals.find((code) => !isAboutCode(code)) ?? null,
    needsCode: role !== null && isCodeProtected(door, role),
    isRunning: meeting?.state === 'open',
    mayStart: role !== null && mayStart(door, role),
    formTargets: formTargetsOf(current ? [...providers, current] : providers),
    acceptsCode: (accessCode) => !examine(door, { ...credential, accessCode }).refusals.some(isAboutCode),
  };
}

export function isAboutCode(code: EntryRefusal): boolean {
  return code === 'access-code-required' || code === 'access-code-wrong' || code === 'access-code-other-role';
}

export function chromeFor({ settings, publicUrl }: Dependencies, request: FastifyRequest): RoomChrome {
  return {
    ...brandOf(settings(), publicUrl()),
    texts: textsFor(request.headers['accept-language'], settings().system_locale),
    roomsPath: `${new URL(publicUrl()).pathname.replace(/\/+$/, '')}/rooms`,
  };
}

/** What was shown counts; a guest token from an earlier visit only as long as it opens the room. */
async function credentialOf(
  { db }: Dependencies,
  request: FastifyRequest,
  roomId: Uuid,
  shown: string | null,
  now: string,
) {
  const present = (token: string | null) =>
    loadCredential(db, roomId, { token, accessCode: null, staffRole: null }, now);
  const remembered = shown === null ? readGuestToken(request, roomId) : null;
  if (remembered !== null) {
    const { credential } = await present(remembered);
    if (credential.token !== null && credential.token !== 'unknown' && !credential.token.expired)
      return { credential, token: remembered };
  }
  const { credential } = await present(shown);
  return { credential, token: shown };
}

function faceOf({ room, settings, customerName }: LoadedDoor): RoomFace {
  return {
    name: room.room_name,
    customerName,
    heroImage: textOf(settings['hero_image']),
    description: textOf(settings['description']),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
