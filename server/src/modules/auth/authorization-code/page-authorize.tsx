/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { messagePage } from '../../../platform/page/message-page.tsx';
import { renderPage } from '../../../platform/page/page-layout.tsx';
import { Alert, Field, Front, PasswordField } from '../../../platform/page/page-parts.tsx';
import type { TextFrame } from '../../../platform/page/text-frame.ts';
import { fill, type Texts } from '../../../platform/text/catalogues.ts';

/** The hidden fields of every form on the page. */
export interface FormFrame {
  readonly action: string;
  readonly formToken: string;
}

export interface LoginForm extends FormFrame {
  readonly clientName: string;
  readonly population: string;
  readonly username: string;
  readonly usernameError: string | null;
  readonly passwordError: string | null;
  readonly alert: string | null;
}

export function loginPage(chrome: TextFrame, form: LoginForm): string {
  const { forms, consent: texts } = chrome.texts;
  return renderPage({
    chrome,
    title: texts.loginTitle,
    content: (
      <Front state="notStarted">
        <h1>{texts.loginTitle}</h1>
        <p class="soft">{fill(texts.loginLead, { client: form.clientName })}</p>
        <Alert sentence={form.alert} />
        <Form frame={form}>
          <Field
            id="username"
            label={form.population === 'users' ? forms.email : texts.name}
            error={form.usernameError}
            value={form.username}
            autocomplete="username"
            maxLength={254}
          />
          <PasswordField label={forms.password} error={form.passwordError} />
          <button type="submit" name="do" value="login">
            {texts.login}
          </button>
        </Form>
      </Front>
    ),
  });
}

export interface SecondFactorForm extends FormFrame {
  readonly username: string;
  /** Name and password from the step before, encrypted. */
  readonly firstStep: string;
  readonly codeError: string | null;
  readonly alert: string | null;
}

export function secondFactorPage(chrome: TextFrame, form: SecondFactorForm): string {
  const texts = chrome.texts.consent;
  return renderPage({
    chrome,
    title: texts.secondFactorTitle,
    content: (
      <Front state="notStarted">
        <p class="lead">{form.username}</p>
        <h1>{texts.secondFactorTitle}</h1>
        <p class="soft">{texts.secondFactorLead}</p>
        <Alert sentence={form.alert} />
        <Form frame={form}>
          <input type="hidden" name="first_step" value={form.firstStep} />
          <Field
            id="otp"
            label={texts.code}
            hint={texts.codeHint}
            error={form.codeError}
            value=""
            autocomplete="one-time-code"
            maxLength={50}
            isCode
          />
          <button type="submit" name="do" value="confirm">
            {texts.confirm}
          </button>
        </Form>
        <a class="button quiet" href={form.action}>
          {texts.startAgain}
        </a>
      </Front>
    ),
  });
}

export interface ConsentForm extends FormFrame {
  readonly clientName: string;
  readonly fullName: string;
  readonly email: string;
  readonly population: string;
  readonly scopes: readonly string[];
  /** The host of the redirect address. */
  readonly host: string;
}

/** The consent form: client, owner, scopes and redirect address. */
export function consentPage(chrome: TextFrame, form: ConsentForm): string {
  const texts = chrome.texts.consent;
  const title = fill(texts.consentTitle, { client: form.clientName });
  return renderPage({
    chrome,
    title,
    content: (
      <Front state="open">
        <h1>{title}</h1>
        <p class="soft">{fill(texts.consentLead, { platform: chrome.platformName })}</p>
        <form class="person" method="post" action={form.action}>
          <input type="hidden" name="form_token" value={form.formToken} />
          <span class="initial" aria-hidden="true">
            {[...form.fullName][0]?.toUpperCase() ?? ''}
          </span>
          <span class="who">
            <strong>{form.fullName}</strong>
            <span>{form.email}</span>
          </span>
          <button class="link" type="submit" name="do" value="leave">
            {texts.otherAccount}
          </button>
        </form>
        <ul class="scopes">
          {describeScopes(texts, form.scopes).map(({ resource, access }) => (
            <li key={resource}>
              <strong>{resource}</strong>
              <span>{access}</span>
            </li>
          ))}
        </ul>
        <p class="hint">{form.population === 'users' ? texts.limitsOfUser : texts.limits}</p>
        <Form frame={form}>
          <div class="choice">
            <button type="submit" name="do" value="allow">
              {texts.allow}
            </button>
            <button class="quiet" type="submit" name="do" value="deny">
              {texts.deny}
            </button>
          </div>
        </Form>
        <p class="soft small">{fill(texts.destination, { host: form.host })}</p>
      </Front>
    ),
  });
}

/** For errors that must not be sent to the client by a redirect. */
export function unusablePage(chrome: TextFrame, reason: 'client' | 'redirect-uri'): string {
  const texts = chrome.texts.consent;
  const sentence = reason === 'client' ? texts.unknownClient : texts.wrongAddress;
  return messagePage(chrome, { title: texts.unusableTitle, sentence, note: <p class="soft">{texts.notSent}</p> });
}

/** The form belongs to another session, or the session has expired. */
export function stalePage(chrome: TextFrame, href: string): string {
  const { staleTitle: title, stale: sentence, startAgain: label } = chrome.texts.consent;
  return messagePage(chrome, { title, sentence, link: { label, href } });
}

function Form({ frame, children }: { readonly frame: FormFrame; readonly children: ComponentChildren }) {
  return (
    <form method="post" action={frame.action} novalidate>
      <input type="hidden" name="form_token" value={frame.formToken} />
      {children}
    </form>
  );
}

/** One line for each resource, in words. */
function describeScopes(texts: Texts['consent'], scopes: readonly string[]): { resource: string; access: string }[] {
  if (scopes.includes('*')) return [{ resource: texts.everything, access: texts.everythingNote }];
  const resources: Readonly<Record<string, string>> = texts.resources;
  const verbs = new Map<string, Set<string>>();
  for (const scope of scopes) {
    const [resource = '', verb = ''] = scope.split(':');
    verbs.set(resource, (verbs.get(resource) ?? new Set<string>()).add(verb));
  }
  return [...verbs].map(([resource, verbSet]) => ({
    resource: resources[resource] ?? resource,
    access: texts.access[verbSet.size > 1 ? 'both' : verbSet.has('read') ? 'read' : 'write'],
  }));
}
