import type Hls from 'hls.js';
import { ErrorTypes, Events, type HlsConfig } from 'hls.js';
import { element } from './page.ts';

export interface PlayOptions {
  readonly source: string;
  readonly isLive: boolean;
  readonly poster?: string | null;
  /** The address of a thumbnail track for the time bar. */
  readonly sprite?: string | null;
  /** The start position in seconds. */
  readonly startsAt?: number;
  /** Default: true. */
  readonly autoplay?: boolean;
}

/** The video with its controls. */
export interface Screen {
  readonly element: HTMLElement;
  play(options: PlayOptions): void;
  stop(): void;
  /** Shown above the picture; null removes it. */
  showNotice(sentence: string | null): void;
  /** The listener is called if the media server rejects the address. */
  onRefused(listener: () => void): void;
  onTime(listener: (seconds: number, duration: number) => void): void;
  onEnded(listener: () => void): void;
}

interface HlsVideo extends HTMLVideoElement {
  api: Hls | null;
  config: Partial<HlsConfig>;
}

/** The library supports keyboard, screen readers, captions, quality, speed and full screen. */
const controls = `
  <hls-video slot="media" playsinline crossorigin></hls-video>
  <media-loading-indicator slot="centered-chrome" noautohide></media-loading-indicator>
  <media-captions-menu hidden anchor="auto"></media-captions-menu>
  <media-rendition-menu hidden anchor="auto"></media-rendition-menu>
  <media-playback-rate-menu hidden anchor="auto" rates="0.5 0.75 1 1.25 1.5 2"></media-playback-rate-menu>
  <media-mute-button slot="top-chrome" class="unmute" notooltip noautohide></media-mute-button>
  <div class="bottom">
    <media-time-range></media-time-range>
    <media-control-bar>
      <media-play-button notooltip></media-play-button>
      <media-live-button notooltip></media-live-button>
      <media-seek-backward-button notooltip seekoffset="10"></media-seek-backward-button>
      <media-seek-forward-button notooltip seekoffset="10"></media-seek-forward-button>
      <media-mute-button notooltip></media-mute-button>
      <media-volume-range></media-volume-range>
      <media-time-display showduration notoggle></media-time-display>
      <span class="spacer"></span>
      <media-captions-menu-button notooltip></media-captions-menu-button>
      <media-playback-rate-menu-button notooltip>
        <svg slot="icon" viewBox="0 0 24 24" aria-hidden="true">
          <path d="M12 4a9 9 0 0 0-8 13.100l1.700-1A7 7 0 1 1 18.300 16l1.700 1A9 9 0 0 0 12 4zm4.500 4.500-5.600 3.300a1.800 1.800 0 1 0 2.300 2.300z"/>
        </svg>
      </media-playback-rate-menu-button>
      <media-rendition-menu-button notooltip></media-rendition-menu-button>
      <media-pip-button notooltip></media-pip-button>
      <media-fullscreen-button notooltip></media-fullscreen-button>
    </media-control-bar>
  </div>
  <div slot="centered-chrome" class="center">
    <media-seek-backward-button notooltip seekoffset="10"></media-seek-backward-button>
    <media-play-button notooltip></media-play-button>
    <media-seek-forward-button notooltip seekoffset="10"></media-seek-forward-button>
  </div>`;

const reportTimeMs = 5000;
const reloadDelayMs = 3000;

/** @param token the current token, with which segments are requested even if the playlist has an older one */
export function createControls(token: () => string): Screen {
  const controller = document.createElement('media-controller');
  // By default the controls use the language of the browser.
  controller.setAttribute('lang', document.documentElement.lang);
  controller.innerHTML = controls;
  const notice = element('p', { slot: 'top-chrome', class: 'notice', role: 'status', noautohide: '' });
  controller.append(notice);
  const frame = element('div', { class: 'screen' }, controller);
  const video = frame.querySelector<HlsVideo>('hls-video');
  if (!video) throw new Error('The player has no video.');
  let onRefused = () => {};
  let reportedAt = 0;
  let onTime: (seconds: number, duration: number) => void = () => {};
  video.addEventListener('timeupdate', () => {
    if (performance.now() - reportedAt < reportTimeMs || !Number.isFinite(video.duration)) return;
    reportedAt = performance.now();
    onTime(video.currentTime, video.duration);
  });
  video.addEventListener('error', () => onRefused());
  video.addEventListener('volumechange', () => {
    if (!video.muted) frame.classList.remove('starts-muted');
  });
  return {
    element: frame,
    play({ source, isLive, poster = null, sprite = null, startsAt = 0, autoplay = true }) {
      frame.classList.toggle('is-live', isLive);
      video.replaceChildren(...(sprite === null ? [] : [thumbnails(sprite)]));
      if (poster === null) video.removeAttribute('poster');
      else video.setAttribute('poster', poster);
      video.config = {
        lowLatencyMode: true,
        // After a stall, live video plays slightly faster until it has caught up.
        maxLiveSyncPlaybackRate: 1.1,
        startPosition: startsAt > 0 ? startsAt : -1,
        xhrSetup(request, url) {
          request.open('GET', url.replace(/\/play\/[^/]+\//, `/play/${token()}/`), true);
        },
      };
      // The speed is kept for the next video.
      video.defaultPlaybackRate = video.playbackRate;
      video.src = source;
      // The element attaches hls.js in a microtask, which would abort an earlier `play()`.
      queueMicrotask(() => {
        resumeAfterFailures(video, () => onRefused());
        if (autoplay) void video.play().catch((error: unknown) => startMuted(frame, video, error));
      });
    },
    stop() {
      video.removeAttribute('src');
    },
    showNotice(sentence) {
      if (notice.textContent !== (sentence ?? '')) notice.textContent = sentence;
    },
    onRefused: (listener) => {
      onRefused = listener;
    },
    onTime: (listener) => {
      onTime = listener;
    },
    onEnded: (listener) => video.addEventListener('ended', listener),
  };
}

/** hls.js stops loading after a fatal network error, for example while the media server does not respond. */
function resumeAfterFailures(video: HlsVideo, onRefused: () => void): void {
  const { api } = video;
  api?.on(Events.ERROR, (_event, { fatal, type, response }) => {
    if (!fatal || type !== ErrorTypes.NETWORK_ERROR) return;
    if (response?.code === 403) onRefused();
    setTimeout(() => {
      if (video.api !== api) return;
      // `startLoad` does not load the first playlist again.
      if (api.levels.length === 0) api.loadSource(video.src);
      api.startLoad();
    }, reloadDelayMs);
  });
}

/** Browsers start audio only after a click, so the unmute button stays visible until then. */
function startMuted(frame: HTMLElement, video: HlsVideo, error: unknown): void {
  if (!(error instanceof DOMException && error.name === 'NotAllowedError')) return;
  video.muted = true;
  frame.classList.add('starts-muted');
  void video.play().catch(() => {});
}

function thumbnails(source: string): HTMLTrackElement {
  return element('track', { label: 'thumbnails', kind: 'metadata', default: '', src: source });
}
