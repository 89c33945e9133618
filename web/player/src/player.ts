import { createControls, type Screen } from './controls.ts';
import {
  element,
  fetchPlayback,
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
  const showMessage = (sentence: string) => stage.replaceChildren(element('p', { class: 'stage-message' }, sentence));
  const first = await untilAllowed(page, showMessage);
  if ('refusal' in first) return showRefusal(stage, page, first.refusal);
  let playback = first;
  const screen = createControls(page.texts, () => tokenOf(playback.base_url));
  const timers = [
    setInterval(() => void renew(), renewMs),
    setInterval(() => void fetch(`${playback.base_url}heartbeat`, { method: 'POST' }).catch(() => {}), heartbeatMs),
  ];

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

  // A refused address is renewed at once: either it had expired, or the viewer is told why playback has ended.
  screen.onRefused(() => void renew());
  if (page.roomType === 'video') showVideos(root, stage, { page, screen, videos: first.videos });
  else timers.push(setInterval(() => void showStream(), liveCheckMs));

  let isLive = false;
  async function showStream(): Promise<void> {
    const response = await fetch(`${playback.base_url}live/master.m3u8`).catch(() => null);
    if (response?.status === 403) return await renew();
    const isAvailable = response?.ok === true;
    if (isAvailable && !isLive) {
      stage.replaceChildren(screen.element);
      screen.play({ source: `${playback.base_url}live/master.m3u8`, isLive: true });
    } else if (!isAvailable && isLive) screen.stop();
    if (!isAvailable) showMessage(response === null ? page.texts.offline : page.texts.waiting);
    isLive = isAvailable;
  }
  if (page.roomType !== 'video') await showStream();
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

async function untilAllowed(page: RoomPage, showMessage: (sentence: string) => void): Promise<Playback | Refused> {
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
