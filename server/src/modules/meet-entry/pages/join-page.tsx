/** @jsxImportSource preact */
import type { RoomRole } from '@foyer/contract/resources/rooms/room.ts';
import { maxNameLength } from '../../../platform/text/cut-text.ts';
import { type Page, renderPage as renderBarePage } from '../../../platform/page/page-layout.tsx';
import { Alert, Field, Front, State } from '../../../platform/page/page-parts.tsx';
import type { WatchableRecording } from '../../recordings/index.ts';
import { type Person, SignedIn, SignIn, type SignInForm, SignInLink } from './person.tsx';
import { scriptAsset } from './script.ts';
import { fill } from '../../../platform/text/catalogues.ts';
import type { RoomChrome as Chrome, RoomHeader } from './page-types.ts';

export interface JoinForm {
  readonly action: string;
  readonly role: RoomRole;
  readonly mayStart: boolean;
  readonly needsCode: boolean;
  readonly name: string;
  readonly accessCode: string;
  readonly nameError: string | null;
  readonly codeError: string | null;
  /** The reason for the refusal, if it is not about a field. */
  readonly alert: string | null;
  /** Whether the role is that of the signed-in user. */
  readonly isMember: boolean;
}

export interface JoinContent {
  readonly state: 'open' | 'notStarted';
  readonly recordings: readonly WatchableRecording[];
  readonly person: Person | null;
  readonly uploadsHref: string | null;
}

/** The page of the room: customer, room name, description, and the form to join. */
export function joinPage(
  chrome: Chrome,
  room: RoomHeader,
  form: JoinForm,
  { state, recordings, person, uploadsHref }: JoinContent,
): string {
  const { texts } = chrome;
  const comingAs = texts.comingAs[form.role];
  return renderPage({
    chrome,
    title: room.name,
    content: (
      <Front image={room.heroImage} state={state}>
        <State state={state} label={texts.state[state]} />
        <p class="lead">{fill(texts.invitesYou, { customer: room.customerName })}</p>
        <h1>{room.name}</h1>
        {comingAs === null ? null : <p class="soft">{comingAs}</p>}
        <SignedIn texts={texts} person={person} />
        <Alert sentence={form.alert} />
        <EntryForm chrome={chrome} form={form} state={state} />
        <UploadsLink texts={texts} href={uploadsHref} />
        <SignInLink texts={texts} person={person} />
        <Description chrome={chrome} text={room.description} />
        <Recordings chrome={chrome} recordings={recordings} />
        <Devices chrome={chrome} href={form.action} />
      </Front>
    ),
  });
}

function UploadsLink({ texts, href }: { readonly texts: Chrome['texts']; readonly href: string | null }) {
  if (href === null) return null;
  return (
    <a class="button quiet" href={href}>
      {texts.uploadVideos}
    </a>
  );
}

function EntryForm({ chrome, form, state }: { chrome: Chrome; form: JoinForm; state: 'open' | 'notStarted' }) {
  const { texts } = chrome;
  const willWait = state === 'notStarted' && !form.mayStart;
  const label = state === 'open' ? texts.enter : form.mayStart ? texts.start : texts.enterAndWait;
  return (
    <form method="post" action={form.action} data-busy-label={texts.opening} novalidate>
      {form.isMember && <input type="hidden" name="as_member" value="1" />}
      <Field
        id="name"
        label={texts.name}
        hint={texts.nameHint}
        error={form.nameError}
        value={form.name}
        autocomplete="name"
        maxLength={maxNameLength}
      />
      {form.needsCode && (
        <Field
          id="access_code"
          label={texts.accessCode}
          hint={texts.accessCodeHint}
          error={form.codeError}
          value={form.accessCode}
          autocomplete="one-time-code"
          maxLength={64}
          isCode
        />
      )}
      {willWait && <p class="soft">{texts.willWait}</p>}
      <button type="submit">{label}</button>
    </form>
  );
}

function Recordings({ chrome, recordings }: { chrome: Chrome; recordings: readonly WatchableRecording[] }) {
  const { texts } = chrome;
  if (recordings.length === 0) return null;
  const days = new Intl.DateTimeFormat(texts.language, { dateStyle: 'long', timeZone: chrome.timeZone });
  return (
    <section class="recordings">
      <h2>{texts.recordings}</h2>
      <ul>
        {recordings.map(({ name, startedAt, playback }) => (
          <li key={playback[0]?.url}>
            {playback.map(({ type, url, length }, index) => (
              <a key={type} href={url} target="_blank" rel="noreferrer">
                {index === 0 ? name : type}
                <span> · {fill(texts.recordingLength, { minutes: Math.max(1, length) })}</span>
              </a>
            ))}
            {startedAt !== null && <time dateTime={startedAt}>{days.format(new Date(startedAt))}</time>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The devices that the visitor needs; a script adds what the browser has found. */
function Devices({ chrome, href }: { chrome: Chrome; href: string }) {
  const { devices, openInWindow } = chrome.texts;
  if (devices === null) return null;
  return (
    <section class="devices" data-devices={JSON.stringify(devices)}>
      <h2>{devices.title}</h2>
      <ul />
      <p>{devices.hint}</p>
      <p data-framed hidden>
        {devices.framed}{' '}
        <a href={href} target="_blank" rel="noopener">
          {openInWindow}
        </a>
      </p>
    </section>
  );
}

function Description({ chrome, text }: { chrome: Chrome; text: string | null }) {
  if (text === null) return null;
  return (
    <section class="about">
      <h2>{chrome.texts.about}</h2>
      <p>{text}</p>
    </section>
  );
}

export interface RefusalContent {
  /** The state of the room, if it is the reason for the refusal. */
  readonly state: 'closed' | 'invited' | null;
  readonly title: string;
  readonly sentence: string;
  readonly action: { readonly href: string; readonly label: string } | null;
  readonly small?: string;
  /** Recordings that the visitor can still watch. */
  readonly recordings?: readonly WatchableRecording[];
  readonly person?: Person | null;
  readonly uploadsHref?: string | null;
  /** For a personal token: asks the invited user to sign in. */
  readonly signIn?: SignInForm | null;
}

/** Says why the join is rejected and what to do. Without a room if the address is unknown. */
export function refusalPage(
  chrome: Chrome,
  room: RoomHeader | null,
  { state, title, sentence, action, small, recordings = [], ...visitor }: RefusalContent,
): string {
  const { person = null, signIn = null, uploadsHref = null } = visitor;
  const { texts } = chrome;
  return renderPage({
    chrome,
    title,
    content: (
      <Front image={room?.heroImage ?? null} state="closed">
        {state !== null && <State state={state} label={texts.state[state]} />}
        {room !== null && (
          <p class="lead">
            {room.customerName} · {room.name}
          </p>
        )}
        <h1>{title}</h1>
        <p>{sentence}</p>
        {action !== null && (
          <a class="button" href={action.href}>
            {action.label}
          </a>
        )}
        <SignedIn texts={texts} person={person} />
        {signIn !== null && <SignIn texts={texts} form={signIn} />}
        <UploadsLink texts={texts} href={uploadsHref} />
        <SignInLink texts={texts} person={person} />
        <Recordings chrome={chrome} recordings={recordings} />
        {small !== undefined && <p class="soft small">{small}</p>}
      </Front>
    ),
  });
}

/** The page of a visitor who waits until a moderator starts the meeting. It reloads by itself. */
export function waitingPage(
  chrome: Chrome,
  room: RoomHeader,
  visitor: { name: string; joinHref: string; waitingEventsHref: string },
): string {
  const { texts } = chrome;
  return renderPage({
    chrome,
    title: `${texts.waitingTitle} · ${room.name}`,
    refreshSeconds: 5,
    content: (
      <Front image={room.heroImage} state="notStarted">
        <div data-waiting={visitor.waitingEventsHref}>
          <State state="notStarted" label={texts.state.notStarted} />
          <p class="lead">{room.name}</p>
          <h1>{texts.waitingTitle}</h1>
          <p>{texts.waitingLead}</p>
          <p class="waiting-as">
            <span class="dots" aria-hidden="true">
              <i />
              <i />
              <i />
            </span>
            {fill(texts.waitingAs, { name: visitor.name })}
          </p>
          <a class="button quiet" href={visitor.joinHref}>
            {texts.stopWaiting}
          </a>
        </div>
      </Front>
    ),
  });
}

/** The page after the wait: a script submits the form at once; without JavaScript there is a button. */
export function readyPage(
  chrome: Chrome,
  room: RoomHeader,
  visitor: { name: string; accessCode: string | null; action: string },
): string {
  const { texts } = chrome;
  return renderPage({
    chrome,
    title: `${texts.readyTitle} · ${room.name}`,
    content: (
      <Front image={room.heroImage} state="open">
        <State state="open" label={texts.state.open} />
        <p class="lead">{room.name}</p>
        <h1>{texts.readyTitle}</h1>
        <p role="status">{texts.readyLead}</p>
        <form method="post" action={visitor.action} data-busy-label={texts.opening} data-ready>
          <input type="hidden" name="name" value={visitor.name} />
          {visitor.accessCode !== null && <input type="hidden" name="access_code" value={visitor.accessCode} />}
          <button type="submit">{texts.enterNow}</button>
        </form>
      </Front>
    ),
  });
}

function renderPage(page: Page): string {
  return renderBarePage({ ...page, script: scriptAsset });
}
