/** @jsxImportSource preact */
import { renderPage } from '../../../platform/page/page-layout.tsx';
import { Alert, Field, Front, PasswordField } from '../../../platform/page/page-parts.tsx';
import type { PasswordHelp, RoomChrome, RoomHeader } from './page-types.ts';
import type { PageTexts } from './texts.ts';

/** Shows the signed-in user with a button to sign out, or a link to sign in. */
export type Person = { readonly name: string; readonly signOutHref: string } | { readonly signInHref: string };

export interface SignInForm {
  readonly action: string;
  readonly passwordHelp: PasswordHelp;
  readonly email: string;
  readonly emailError: string | null;
  readonly passwordError: string | null;
  readonly alert: string | null;
}

export const emptySignIn = { email: '', emailError: null, passwordError: null, alert: null } as const;

/** The sign-in form, with a link back to the page without sign-in. */
export function signInPage(chrome: RoomChrome, room: RoomHeader, form: SignInForm, joinHref: string): string {
  const { signIn: texts } = chrome.texts;
  return renderPage({
    chrome,
    title: `${texts.title} · ${room.name}`,
    content: (
      <Front image={room.heroImage} state="notStarted">
        <p class="lead">
          {room.customerName} · {room.name}
        </p>
        <h1>{texts.title}</h1>
        <p class="soft">{texts.lead}</p>
        <Alert sentence={form.alert} />
        <SignIn texts={chrome.texts} form={form} />
        <a class="button quiet" href={joinHref}>
          {texts.back}
        </a>
      </Front>
    ),
  });
}

export function SignIn({ texts: { signIn: texts }, form }: { readonly texts: PageTexts; readonly form: SignInForm }) {
  return (
    <form method="post" action={form.action} novalidate>
      <Field
        id="email"
        isEmail
        label={texts.email}
        error={form.emailError}
        value={form.email}
        autocomplete="username"
        maxLength={254}
      />
      <PasswordField label={texts.password} error={form.passwordError} />
      <button type="submit">{texts.title}</button>
      <PasswordHelpLink texts={texts} passwordHelp={form.passwordHelp} />
    </form>
  );
}

function PasswordHelpLink({
  texts,
  passwordHelp,
}: {
  readonly texts: PageTexts['signIn'];
  readonly passwordHelp: PasswordHelp;
}) {
  const { forgottenPasswordHref: href, supportUrl } = passwordHelp;
  if (href !== null) {
    return (
      <p class="hint sign-in">
        <a href={href}>{texts.forgotten}</a>
      </p>
    );
  }
  return (
    <p class="hint sign-in">
      {texts.forgotten}{' '}
      {supportUrl === null ? (
        texts.askHost
      ) : (
        <a href={supportUrl} rel="noreferrer">
          {texts.askSupport}
        </a>
      )}
    </p>
  );
}

export interface ForgottenForm {
  readonly action: string;
  readonly email: string;
  readonly emailError: string | null;
  readonly alert: string | null;
}

/**
 * Asks for the email of a user who forgot the password. If `form` is null, says that a mail was sent, whether the email
 * is known or not.
 */
export function forgottenPage(
  chrome: RoomChrome,
  room: RoomHeader,
  form: ForgottenForm | null,
  signInHref: string,
): string {
  const { signIn, forgottenPassword: texts } = chrome.texts;
  const title = form === null ? texts.sentTitle : signIn.forgotten;
  return renderPage({
    chrome,
    title: `${title} · ${room.name}`,
    content: (
      <Front image={room.heroImage} state="notStarted">
        <p class="lead">
          {room.customerName} · {room.name}
        </p>
        <h1>{title}</h1>
        {form === null ? <p role="status">{texts.sent}</p> : <p class="soft">{texts.lead}</p>}
        {form !== null && <Alert sentence={form.alert} />}
        {form !== null && (
          <form method="post" action={form.action} novalidate>
            <Field
              id="email"
              isEmail
              label={signIn.email}
              error={form.emailError}
              value={form.email}
              autocomplete="username"
              maxLength={254}
            />
            <button type="submit">{texts.submit}</button>
          </form>
        )}
        <a class="button quiet" href={signInHref}>
          {texts.back}
        </a>
      </Front>
    ),
  });
}

export function SignedIn({
  texts: { signIn: texts },
  person,
}: {
  readonly texts: PageTexts;
  readonly person: Person | null;
}) {
  if (person === null || !('name' in person)) return null;
  return (
    <form class="person is-signed-in" method="post" action={person.signOutHref}>
      <span class="initial" aria-hidden="true">
        {[...person.name][0]?.toUpperCase() ?? ''}
      </span>
      <span class="who">
        <span>{texts.signedInAs}</span>
        <strong>{person.name}</strong>
      </span>
      <button class="link" type="submit">
        {texts.signOut}
      </button>
    </form>
  );
}

/** The link is unobtrusive, since few participants sign in. */
export function SignInLink({
  texts: { signIn: texts },
  person,
}: {
  readonly texts: PageTexts;
  readonly person: Person | null;
}) {
  if (person === null || !('signInHref' in person)) return null;
  return (
    <p class="hint sign-in">
      {texts.question} <a href={person.signInHref}>{texts.title}</a>
    </p>
  );
}
