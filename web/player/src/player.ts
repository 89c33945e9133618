import { createControls, type Screen } from './controls.ts';
import {
  element,
  fetchPlayback,
  fetchStreamState,
  type Playback,
  readPage,
  type Refusal,
  type Refused,
  type RoomPage,
  type Video,
} from './page.ts';
import { createPlaylist } from './playlist.ts';
import { forgetPosition, keepPosition, positionOf } from './resume.ts';

/** Playback addresses are valid for longer than this. */
const renewMs = 240_000;
const retryMs = 5000;
const heartbeatMs = 30_000;
const liveCheckMs = 3000;

/** Plays the video or stream of the page, and renews its playback address. */
export async function startPlayer(root: HTMLElement): Promise<void> {
  const page = readPage(root);
  const stage = root.querySelector<HTMLElement>('.stage') ?? root;
  function showMessage(sentence: string): void {
    // Replacing the same text would make screen readers repeat it.
    if (stage.textContent !== sentence) stage.replaceChildren(element('p', { class: 'stage-message' }, sentence));
  }
  const first = await waitForPlayback(page, showMessage);
  if ('refusal' in first) return showRefusal(stage, page, first.refusal);
  let playback = first;
  const screen = createControls(() => tokenOf(playback.base_url));
  const timers = [setInterval(() => void renew(), renewMs), setInterval(() => void sendHeartbeat(), heartbeatMs)];

  async function sendHeartbeat(): Promise<void> {
    const status = await fetch(`${playback.base_url}heartbeat`, { method: 'POST' }).then(
      (response) => response.status,
      () => null,
    );
    // The player sends no other requests while it plays a video that is completely loaded.
    if (status === 403) await renew();
  }

  function stop(refusal: Refusal): void {
    for (const timer of timers) clearInterval(timer);
    screen.stop();
    showRefusal(stage, page, refusal);
  }

  async function renew(): Promise<void> {
    const renewed = await fetchPlayback(page.playbackPath);
    if (renewed === null) return;
    if ('refusal' in renewed) stop(renewed.refusal);
    else playback = renewed;
  }

  // If the address was rejected, it has expired and is renewed, or playback has ended and the viewer sees the reason.
  screen.onRefused(() => void renew());
  if (page.roomType === 'video') showVideos(root, stage, { page, screen, videos: first.videos });
  else timers.push(setInterval(() => void showStream(), liveCheckMs));

  let isPlaying = false;
  async function showStream(): Promise<void> {
    const { status, isReconnecting, hasPicture } = await fetchStreamState(playback.base_url);
    if (status === 403) return await renew();
    // The buffer keeps playing while the media server does not respond.
    if (status !== 200) return isPlaying ? screen.showNotice(page.texts.offline) : showMessage(page.texts.offline);
    if (hasPicture && !isPlaying) {
      stage.replaceChildren(screen.element);
      screen.play({ source: `${playback.base_url}live/master.m3u8`, isLive: true });
    } else if (!hasPicture && isPlaying) screen.stop();
    if (!hasPicture) showMessage(page.texts.waiting);
    screen.showNotice(isReconnecting ? page.texts.reconnecting : null);
    isPlaying = hasPicture;
  }
  if (page.roomType === 'video') return;
  void sendHeartbeat();
  await showStream();
}

interface VideoRoom {
  readonly page: RoomPage;
  readonly screen: Screen;
  readonly videos: readonly Video[];
}

function showVideos(root: HTMLElement, stage: HTMLElement, { page, screen, videos }: VideoRoom): void {
  const [first] = videos;
  if (!first) return stage.replaceChildren(element('p', { class: 'stage-message' }, page.texts.empty));
  stage.replaceChildren(screen.element);
  const nowPlaying = element('section', { class: 'now-playing', 'aria-live': 'polite' });
  stage.after(nowPlaying);
  let current = videos.find(({ id }) => location.hash === `#${id}`) ?? first;
  const select = (video: Video, autoplay: boolean) => {
    current = video;
    screen.play({
      source: video.hls_url,
      isLive: false,
      poster: video.poster_url,
      sprite: video.sprite_url,
      startsAt: positionOf(video.id),
      autoplay,
    });
    nowPlaying.replaceChildren(
      element('h2', {}, video.name),
      ...(video.description === null ? [] : [element('p', {}, video.description)]),
    );
    playlist?.mark(video.id);
  };
  const playlist =
    videos.length > 1 || first.download_url !== null
      ? createPlaylist(page.texts, videos, (video) => select(video, true))
      : null;
  if (playlist) root.append(playlist.element);
  screen.onTime((seconds, duration) => {
    if (duration - seconds < 10) forgetPosition(current.id);
    else keepPosition(current.id, seconds);
  });
  screen.onEnded(() => {
    const next = videos[videos.indexOf(current) + 1];
    if (next) select(next, true);
  });
  select(current, false);
}

async function waitForPlayback(page: RoomPage, showMessage: (sentence: string) => void): Promise<Playback | Refused> {
  for (;;) {
    const playback = await fetchPlayback(page.playbackPath);
    if (playback !== null) return playback;
    showMessage(page.texts.offline);
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

function showRefusal(stage: HTMLElement, { texts, roomHref }: RoomPage, refusal: Refusal): void {
  const { title, sentence } = texts.refusals[refusal];
  stage.replaceChildren(
    element(
      'div',
      { class: 'stage-message', role: 'alert' },
      element('h2', {}, title),
      element('p', {}, sentence),
      element('a', { class: 'button', href: roomHref }, texts.back),
    ),
  );
}

function tokenOf(baseUrl: string): string {
  return /\/play\/([^/]+)\//.exec(baseUrl)?.[1] ?? '';
}
