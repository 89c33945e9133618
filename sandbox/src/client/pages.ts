import type { Answer } from '../http/answer.ts';
import { isModerator, logoutUrlOf } from '../world/meeting.ts';
import type { Session } from '../world/meeting-table.ts';
import { type Html, html } from './html.ts';
import { renderPage } from './layout.ts';
import { type ClientView, type Person, type Avatar, viewFor } from './view.ts';

/** The page for a session: the meeting, the lobby, or why the user can enter neither. */
export function sessionPage(session: Session): Answer {
  const view = viewFor(session);
  if (view.status === 'ended') return endedPage(session);
  if (view.status === 'denied') return deniedPage(session);
  if (view.status === 'replaced') return replacedPage(session);
  if (view.status === 'waiting') return waitingPage(session);
  return roomPage(session, view);
}

function roomPage({ meeting, user }: Session, view: ClientView): Answer {
  const hasJoined = view.status === 'in';
  const { welcome, moderatorOnlyMessage, bannerText } = meeting.settings;
  return renderPage(200, {
    title: meeting.name,
    script: { page: 'room', sessionToken: user.sessionToken },
    ...(hasJoined ? { refresh: { seconds: 10, onlyWithoutScript: true } } : {}),
    content: html`
      ${bannerText ? html`<p class="banner">${bannerText}</p>` : null}
      <section class="card hero">
        <p class="status ${hasJoined ? 'is-joined' : ''}" id="status" role="status">
          ${hasJoined ? 'Connected' : 'Not connected yet'}
        </p>
        <h1>
          <span id="lead">${hasJoined ? 'You are in' : 'You are about to enter'}</span>
          <strong>${meeting.name}</strong>
        </h1>
        <p class="you">
          as <b>${user.fullName}</b>
          <span class="tag"
            >${isModerator(user) ? 'Moderator' : user.isGuest ? 'Guest' : 'Viewer'}</span
          >
        </p>
        <p class="recording" id="recording" ${view.isRecording ? null : html`hidden`}>
          This meeting is being recorded
        </p>
        ${welcome ? html`<p class="note message">${toPlainText(welcome, meeting)}</p>` : null}
        ${
          moderatorOnlyMessage && isModerator(user)
            ? html`<p class="note">
                <b>For moderators.</b>
                <span class="message">${toPlainText(moderatorOnlyMessage, meeting)}</span>
              </p>`
            : null
        }
        <div class="actions" id="outside" ${hasJoined ? html`hidden` : null}>
          ${button('enter', user.sessionToken, 'Enter the meeting', 'primary')}
        </div>
        <div class="actions" id="inside" ${hasJoined ? null : html`hidden`}>
          ${button('leave', user.sessionToken, 'Leave', 'primary')}
          ${isModerator(user) ? recordButton(user.sessionToken, view) : null}
          ${isModerator(user) ? button('end', user.sessionToken, 'End for all', 'danger') : null}
        </div>
      </section>
      ${isModerator(user) ? waitingList(user.sessionToken, view) : null}
      ${messageList(view)}
      <section class="card">
        <h2>Participants <span class="count" id="count">${view.people.length}</span></h2>
        <ul class="people" id="people">
          ${view.people.map(personItem)}
        </ul>
      </section>
    `,
  });
}

function messageList({ messages }: ClientView): Html {
  return html`<section class="card" id="chat" ${messages.length > 0 ? null : html`hidden`}>
    <h2>Messages</h2>
    <div role="log" aria-label="Messages"><ul class="messages" id="messages">
      ${messages.map(
        ({ userName, message }) => html`<li><b>${userName}</b> <span class="message">${message}</span></li>`,
      )}
    </ul></div>
  </section>`;
}

function recordButton(sessionToken: string, view: ClientView): Html {
  const label = view.isRecording ? 'Stop recording' : 'Start recording';
  return html`<form
    method="post"
    action="/html5client/record"
    id="record"
    ${view.canRecord ? null : html`hidden`}
    data-async
  >
    <input type="hidden" name="sessionToken" value="${sessionToken}" />
    <button>${label}</button>
  </form>`;
}

function waitingList(sessionToken: string, view: ClientView): Html {
  return html`<section
    class="card waiting"
    id="waiting"
    ${view.waiting.length > 0 ? null : html`hidden`}
  >
    <h2>
      Waiting to be let in <span class="count" id="waiting-count">${view.waiting.length}</span>
    </h2>
    <ul class="people" id="waiting-list">
      ${view.waiting.map(
        ({ userID, name, initials, colorIndex }) =>
          html`<li>
            ${avatar({ initials, colorIndex })}
            <span class="who">${name}</span>
            <form method="post" action="/html5client/answer" data-async>
              <input type="hidden" name="sessionToken" value="${sessionToken}" />
              <input type="hidden" name="userID" value="${userID}" />
              <button name="answer" value="admit" class="primary">Admit</button>
              <button name="answer" value="deny">Deny</button>
            </form>
          </li>`,
      )}
    </ul>
  </section>`;
}

function waitingPage({ meeting, user }: Session): Answer {
  return renderPage(200, {
    title: `Waiting for ${meeting.name}`,
    script: { page: 'waiting', sessionToken: user.sessionToken },
    refresh: { seconds: 5, onlyWithoutScript: true },
    content: html`<section class="card hero lobby">
      <div class="pulse" aria-hidden="true"><span></span></div>
      <p class="status" role="status">Waiting for a moderator</p>
      <h1>You are waiting to join <strong>${meeting.name}</strong></h1>
      <p class="you">as <b>${user.fullName}</b></p>
      <p class="note">
        Keep this page open. You join automatically as soon as a moderator admits you.
      </p>
      <div class="actions">${button('leave', user.sessionToken, 'Stop waiting', '')}</div>
    </section>`,
  });
}

function deniedPage({ meeting, user }: Session): Answer {
  return messagePage(
    403,
    'Not admitted',
    `A moderator did not let you into ${meeting.name}.`,
    logoutUrlOf(meeting, user),
  );
}

function replacedPage({ meeting, user }: Session): Answer {
  const text = `You joined ${meeting.name} in too many other windows, so this one was disconnected.`;
  return messagePage(403, 'Disconnected', text, logoutUrlOf(meeting, user));
}

function endedPage({ meeting, user }: Session): Answer {
  return messagePage(200, 'The meeting has ended', `${meeting.name} is over.`, logoutUrlOf(meeting, user));
}

/** The page after leaving. It redirects the browser to the logoutURL. */
export function leftPage(session: Session): Answer {
  const { meeting, user } = session;
  if (viewFor(session).status === 'ended') return endedPage(session);
  return renderPage(200, {
    title: `You have left ${meeting.name}`,
    ...redirectTo(logoutUrlOf(meeting, user)),
    content: html`<section class="card hero">
      <h1>You have left <strong>${meeting.name}</strong></h1>
      <div class="actions">
        ${button('enter', user.sessionToken, 'Come back', '')}
        ${continueLink(logoutUrlOf(meeting, user))}
      </div>
    </section>`,
  });
}

export function unknownSessionPage(): Answer {
  return messagePage(
    404,
    'This link does not work',
    'The session does not exist or has ended. Ask for a new link to the meeting.',
  );
}

/** The page at `/bigbluebutton/`, which also shows why a join was rejected. */
export function welcomePage(errors: { key: string; message: string }[]): Answer {
  const title = errors.length > 0 ? 'You could not join' : 'Sandbox meeting server';
  return renderPage(200, {
    title,
    content: html`<section class="card hero">
      <h1>${title}</h1>
      ${errors.map(({ key, message }) => html`<p class="note problem"><b>${message}</b> <code>${key}</code></p>`)}
      <p class="note">The BigBlueButton API is at <code>/bigbluebutton/api</code>.</p>
    </section>`,
  });
}

function messagePage(status: number, title: string, text: string, logoutUrl = ''): Answer {
  return renderPage(status, {
    title,
    ...redirectTo(logoutUrl),
    content: html`<section class="card hero">
      <h1>${title}</h1>
      <p class="note">${text}</p>
      <div class="actions">${continueLink(logoutUrl)}</div>
    </section>`,
  });
}

function redirectTo(logoutUrl: string) {
  if (!isWebAddress(logoutUrl)) return {};
  return { refresh: { seconds: 3, url: logoutUrl, onlyWithoutScript: false } };
}

function continueLink(logoutUrl: string): Html | null {
  return isWebAddress(logoutUrl) ? html`<a class="button" href="${logoutUrl}">Continue</a>` : null;
}

function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url);
}

function button(action: string, sessionToken: string, label: string, kind: string): Html {
  return html`<form
    method="post"
    action="/html5client/${action}"
    ${action === 'enter' ? html`data-async` : null}
  >
    <input type="hidden" name="sessionToken" value="${sessionToken}" />
    <button class="${kind}">${label}</button>
  </form>`;
}

function personItem(person: Person): Html {
  return html`<li>
    ${avatar(person)}
    <span class="who">${person.name}${person.isYou ? html` <small>you</small>` : null}</span>
    <span class="tag">${person.tag}</span>
  </li>`;
}

function avatar({ initials, colorIndex }: Avatar): Html {
  return html`<span class="avatar color-${colorIndex}" aria-hidden="true">${initials}</span>`;
}

/** Messages can contain HTML and placeholders. The page shows them as plain text. */
function toPlainText(message: string, { name, voiceBridge, settings }: Session['meeting']): string {
  return message
    .replace(/<br\s*\/?>/gi, '\n')
    .replace(/<[^>]*>/g, '')
    .replaceAll('%%CONFNAME%%', name)
    .replaceAll('%%CONFNUM%%', voiceBridge)
    .replaceAll('%%DIALNUM%%', settings.dialNumber);
}
