import { element, fetchPlayback, fetchStreamState, formatClock, type Refusal, type Refused } from '../page.ts';
import { canCapture } from './capture.ts';
import { connect, type Connection, disconnect, endBroadcast, OfferRefused } from './connection.ts';
import { showProblem } from './form.ts';
import { createInputs } from './inputs.ts';
import { type BroadcastPage, readPage } from './page.ts';

type State = 'ready' | 'connecting' | 'live' | 'reconnecting' | 'ended';

/** Frequent enough that a broadcast ends within a minute after its moderator's access was revoked. */
const renewMs = 30_000;
const stateCheckMs = 5000;
const clockMs = 1000;
const firstRetryMs = 500;
const retryMs = 2000;
/** Temporary while reconnecting: the media server has not noticed yet that this browser has gone. */
const temporaryRefusals: ReadonlySet<string> = new Set([
  'stream-busy',
  'media-server-unavailable',
  'noRoute',
  'failed',
]);
/** The session ends 30 seconds after the encoder has left. */
const maxAttempts = 20;

/** The page on which a moderator goes live: preview, broadcast, reconnection and end. */
export function startBroadcastPage(root: HTMLElement): void {
  const page = readPage(root);
  const { texts, submit, form } = page;
  form.hidden = false;
  if (!canCapture()) return showProblem(page, 'unsupported');
  const inputs = createInputs(page);
  let state: State = 'ready';
  let connection: Connection | null = null;
  let liveSince = 0;
  let statusText = '';

  function show(next: State, sentence: string): void {
    state = next;
    statusText = sentence;
    root.dataset['state'] = next;
    page.status.textContent = sentence;
    const isOn = next === 'live' || next === 'reconnecting';
    page.badge.hidden = !isOn;
    submit.textContent = isOn ? texts.stop : texts.start;
    submit.classList.toggle('stop', isOn);
    submit.disabled = next === 'connecting' || (next === 'ready' && !inputs.isReady());
  }

  inputs.onChange(() => {
    if (state === 'ready') show('ready', inputs.isReady() ? texts.ready : '');
    // Removes the hint to choose a screen.
    else page.status.textContent = statusText;
    const track = inputs.picture();
    if (track) void connection?.setPicture(track);
  });

  async function openConnection(): Promise<void> {
    const picture = inputs.picture();
    if (!picture) throw new OfferRefused('noDevice');
    const opened = await connect({
      path: page.broadcastPath,
      picture,
      sound: inputs.sound,
      maxKbps: page.maxKbps,
      maxHeight: page.maxHeight,
      onLost: () => {
        if (connection === opened) void reconnect();
      },
    });
    if (state === 'ended') return disconnect(page.broadcastPath, opened.id);
    connection = opened;
    if (liveSince === 0) liveSince = Date.now();
    showProblem(page, null);
    show('live', texts.onAir);
  }

  async function start(): Promise<void> {
    showProblem(page, null);
    show('connecting', texts.connecting);
    try {
      await openConnection();
    } catch (error) {
      handleFailure(error);
    }
  }

  async function reconnect(): Promise<void> {
    if (connection === null) return;
    const { id } = connection;
    connection.close();
    connection = null;
    show('reconnecting', texts.reconnecting);
    disconnect(page.broadcastPath, id);
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      await new Promise((resolve) => setTimeout(resolve, attempt === 1 ? firstRetryMs : retryMs));
      if (!isReconnecting()) return;
      try {
        return await openConnection();
      } catch (error) {
        if (!temporaryRefusals.has(codeOf(error)) || attempt === maxAttempts) return handleFailure(error);
      }
    }
  }

  function isReconnecting(): boolean {
    return state === 'reconnecting';
  }

  /** Ends the page if the moderator can no longer enter the room. After other failures, the moderator can try again. */
  function handleFailure(error: unknown): void {
    const code = codeOf(error);
    if (code in texts.refusals) return finish({ refusal: code as Refusal, end_reason: null });
    liveSince = 0;
    show('ready', '');
    showProblem(page, code);
  }

  /** @param refused null after the moderator ended the broadcast */
  function finish(refused: Refused | null): void {
    if (state === 'ended') return;
    const wasLive = liveSince > 0;
    show('ended', '');
    connection?.close();
    connection = null;
    inputs.stop();
    for (const timer of timers) clearInterval(timer);
    const message =
      refused === null || (refused.refusal === 'ended' && wasLive)
        ? { title: texts.endedTitle, sentence: texts.endReasons[refused?.end_reason ?? ''] ?? texts.ended }
        : texts.refusals[refused.refusal];
    form.hidden = true;
    const back = element('a', { class: 'button', href: page.roomHref }, texts.back);
    page.problem.replaceChildren(element('h2', {}, message.title), element('p', {}, message.sentence), back);
    back.focus();
  }

  async function stop(): Promise<void> {
    if (connection === null) return finish(null);
    submit.disabled = true;
    const { id } = connection;
    if (await endBroadcast(page.broadcastPath, id)) return finish(null);
    submit.disabled = false;
    showProblem(page, 'media-server-unavailable');
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    inputs.resume();
    if (state === 'ready') void start();
    else if (state === 'live' || state === 'reconnecting') void stop();
  });
  addEventListener('beforeunload', (event) => {
    if (state === 'live') event.preventDefault();
  });
  addEventListener('pagehide', () => {
    if (connection !== null) disconnect(page.broadcastPath, connection.id);
  });
  const timers = keepPresence(page, { finish, isLive: () => state === 'live' });
  timers.push(
    setInterval(() => {
      if (liveSince > 0) showText(page.badge, '.badge-time', formatClock((Date.now() - liveSince) / 1000));
    }, clockMs),
  );
  show('ready', texts.asking);
  void inputs.start();
}

function codeOf(error: unknown): string {
  return error instanceof OfferRefused ? error.code : 'failed';
}

interface Presence {
  finish(refused: Refused): void;
  isLive(): boolean;
}

/** Keeps the session of the room open without counting as a viewer, and detects when it ends. */
function keepPresence(page: BroadcastPage, { finish, isLive }: Presence): ReturnType<typeof setInterval>[] {
  let baseUrl: string | null = null;
  async function renew(): Promise<void> {
    const renewed = await fetchPlayback(page.playbackPath);
    if (renewed === null) return;
    if ('refusal' in renewed) finish(renewed);
    else baseUrl = renewed.base_url;
  }
  async function checkState(): Promise<void> {
    if (baseUrl === null) return await renew();
    const { status, viewers } = await fetchStreamState(baseUrl);
    if (status === 403) return await renew();
    if (viewers === null || !isLive() || !page.hasViewers) return;
    showText(page.badge, '.badge-viewers', page.texts.viewers.replace('{count}', String(viewers)));
  }
  void checkState().then(checkState);
  return [setInterval(() => void renew(), renewMs), setInterval(() => void checkState(), stateCheckMs)];
}

function showText(parent: HTMLElement, selector: string, text: string): void {
  const target = parent.querySelector(selector);
  if (target && target.textContent !== text) target.textContent = text;
}
