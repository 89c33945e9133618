/** @jsxImportSource preact */
import { messagePage } from '../../platform/page/message-page.tsx';
import { renderPage } from '../../platform/page/page-layout.tsx';
import { Alert, Field, Front, PasswordField, State } from '../../platform/page/page-parts.tsx';
import type { TextFrame } from '../../platform/page/text-frame.ts';
import { fill } from '../../platform/text/catalogues.ts';
import type { OpenInvitation } from './accept-invitation.ts';

export interface InvitationChrome extends TextFrame {
  /** The customer's picture; null for the default drawing. */
  readonly heroImage: string | null;
}

/** A room that the new member can open. */
export interface RoomLink {
  readonly name: string;
  readonly href: string;
}

export interface InvitationForm {
  readonly action: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly firstNameError: string | null;
  readonly lastNameError: string | null;
  readonly passwordError: string | null;
  readonly alert: string | null;
}

export function invitationPage(chrome: InvitationChrome, openInvitation: OpenInvitation, form: InvitationForm): string {
  const { forms, invitation: texts } = chrome.texts;
  const { invitation, target, kind } = openInvitation;
  const lead = kind === 'sign-in' ? texts.leadSignIn : texts.leadNew;
  return renderPage({
    chrome,
    title: target.name,
    content: (
      <Front image={chrome.heroImage} state="open">
        <State state="invited" label={texts.state} />
        <p class="lead">
          {target.level === 'customer' ? texts.invitedTo : fill(texts.invitesYou, { customer: target.customerName })}
        </p>
        <h1>{target.name}</h1>
        <p class="soft">{fill(lead, { email: invitation.email, platform: chrome.platformName })}</p>
        <Alert sentence={form.alert} />
        <form method="post" action={form.action} novalidate>
          {kind === 'new' && (
            <>
              <Field
                id="first_name"
                label={texts.firstName}
                error={form.firstNameError}
                value={form.firstName}
                autocomplete="given-name"
                maxLength={150}
              />
              <Field
                id="last_name"
                label={texts.lastName}
                error={form.lastNameError}
                value={form.lastName}
                autocomplete="family-name"
                maxLength={150}
              />
            </>
          )}
          <input type="hidden" name="username" value={invitation.email} autocomplete="username" />
          {kind === 'sign-in' ? (
            <PasswordField label={forms.password} error={form.passwordError} />
          ) : (
            <PasswordField label={forms.newPassword} hint={forms.passwordHint} error={form.passwordError} />
          )}
          <button type="submit">{texts.submit}</button>
        </form>
      </Front>
    ),
  });
}

/** The next step after acceptance: open the room, choose one of the rooms, or wait for a link. */
export function acceptedPage(
  chrome: InvitationChrome,
  { target, invitation }: OpenInvitation,
  {
    title,
    sentence,
    rooms,
  }: { readonly title: string; readonly sentence: string; readonly rooms: readonly RoomLink[] },
): string {
  const texts = chrome.texts.invitation;
  const [firstRoom] = rooms;
  return renderPage({
    chrome,
    title,
    content: (
      <Front image={chrome.heroImage} state="open">
        <h1>{title}</h1>
        <p role="status">{sentence}</p>
        {firstRoom === undefined && (
          <p class="soft">{fill(texts.next, { customer: target.customerName, email: invitation.email })}</p>
        )}
        {firstRoom !== undefined && rooms.length === 1 && (
          <a class="button" href={firstRoom.href}>
            {texts.toRoom}
          </a>
        )}
        {rooms.length > 1 && (
          <nav class="room-list" aria-labelledby="rooms">
            <h2 id="rooms">{texts.rooms}</h2>
            <ul>
              {rooms.map(({ name, href }) => (
                <li key={href}>
                  <a href={href}>{name}</a>
                </li>
              ))}
            </ul>
          </nav>
        )}
      </Front>
    ),
  });
}

/** A page without a next step. */
export function noticePage(
  chrome: InvitationChrome,
  notice: { readonly title: string; readonly sentence: string },
): string {
  return messagePage(chrome, { ...notice, image: chrome.heroImage, isOutcome: true });
}
