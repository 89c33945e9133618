import { element } from '../page.ts';
import {
  canShareScreen,
  listDevices,
  openCamera,
  openCameraAndMicrophone,
  openMicrophone,
  openScreen,
  problemOf,
  type Source,
} from './capture.ts';
import { readSource, fillDevices, setSource, showLevel, showProblem } from './form.ts';
import type { BroadcastPage } from './page.ts';
import { createSound } from './sound.ts';

/** Camera or screen, and the microphone, as they are chosen in the form. */
export interface Inputs {
  /** Silent if there is no microphone. */
  readonly sound: MediaStreamTrack;
  picture(): MediaStreamTrack | null;
  isReady(): boolean;
  /** The listener is called after the picture was replaced or has ended. */
  onChange(listener: () => void): void;
  start(): Promise<void>;
  /** Must be called on a click, because browsers only start audio then. */
  resume(): void;
  stop(): void;
}

const meterMs = 100;
const noMicrophone = 'none';

export function createInputs(page: BroadcastPage): Inputs {
  const { form, texts, video, cameras, microphones, meter, mute, status } = page;
  const sound = createSound();
  let picture: MediaStreamTrack | null = null;
  let microphone: MediaStreamTrack | null = null;
  let screenSound: MediaStreamTrack | null = null;
  let isMuted = false;
  let isStopped = false;
  let onChange = () => {};
  const timer = setInterval(() => showLevel(meter, sound.level()), meterMs);

  function setPicture(track: MediaStreamTrack | null, screen: MediaStreamTrack | null = null): void {
    // The browser may open a device after the page has ended.
    if (isStopped) return stopAll(track, screen);
    if (picture !== track) picture?.stop();
    screenSound?.stop();
    picture = track;
    screenSound = screen;
    video.srcObject = track === null ? null : new MediaStream([track]);
    video.classList.toggle('is-mirrored', track !== null && readSource(form) === 'camera');
    if (track !== null) void video.play().catch(() => {});
    track?.addEventListener('ended', () => {
      if (picture === track) void switchSource('camera');
    });
    connectSound();
    onChange();
  }

  function setMicrophone(track: MediaStreamTrack | null): void {
    if (isStopped) return stopAll(track);
    microphone?.stop();
    microphone = track;
    connectSound();
  }

  function connectSound(): void {
    sound.connect([microphone, screenSound].filter((track) => track !== null));
  }

  async function switchSource(source: Source): Promise<void> {
    showProblem(page, null);
    setSource(form, source);
    try {
      if (source === 'camera') return setPicture(await openCamera(cameras.value));
      status.textContent = texts.chooseScreen;
      const screen = await openScreen(page.maxHeight);
      if (screen) return setPicture(screen.picture, screen.sound);
      // Nothing was chosen.
      returnToCamera();
    } catch (error) {
      if (source === 'camera') setPicture(null);
      else returnToCamera();
      showProblem(page, problemOf(error));
    }
  }

  function returnToCamera(): void {
    setSource(form, 'camera');
    onChange();
  }

  async function switchMicrophone(): Promise<void> {
    const opened =
      microphones.value === noMicrophone ? null : await openMicrophone(microphones.value).catch(showFailure);
    setMicrophone(opened);
  }

  function showFailure(error: unknown): null {
    showProblem(page, problemOf(error));
    return null;
  }

  async function showDevices(): Promise<void> {
    const devices = await listDevices();
    fillDevices(cameras, devices.cameras, picture?.getSettings().deviceId);
    fillDevices(microphones, devices.microphones, microphone?.getSettings().deviceId ?? noMicrophone);
    microphones.append(element('option', { value: noMicrophone }, texts.noMicrophone));
    if (microphone === null) microphones.value = noMicrophone;
  }

  form.addEventListener('change', ({ target }) => {
    sound.resume();
    if (target === microphones) void switchMicrophone();
    else if (target === cameras) void switchSource('camera');
    else if (target instanceof HTMLInputElement && target.name === 'source') void switchSource(readSource(form));
  });
  mute.addEventListener('click', () => {
    isMuted = !isMuted;
    sound.resume();
    sound.setMuted(isMuted);
    mute.setAttribute('aria-pressed', String(isMuted));
    form.classList.toggle('is-muted', isMuted);
  });
  navigator.mediaDevices.addEventListener('devicechange', () => void showDevices());
  if (!canShareScreen()) form.querySelector<HTMLElement>('.source')?.setAttribute('hidden', '');

  async function start(): Promise<void> {
    const opened = await openCameraAndMicrophone();
    setMicrophone(opened.microphone);
    setPicture(opened.camera);
    if (isStopped) return;
    showProblem(page, opened.problem);
    if (opened.problem !== null) page.problem.append(retryButton());
    await showDevices();
  }

  /** Asks for the devices again: the user may have granted the permission since. */
  function retryButton(): HTMLElement {
    const button = element('button', { type: 'button', class: 'quiet' }, texts.retry);
    button.addEventListener('click', () => {
      button.disabled = true;
      void start();
    });
    return button;
  }

  return {
    sound: sound.track,
    picture: () => picture,
    isReady: () => picture !== null,
    onChange: (listener) => {
      onChange = listener;
    },
    start,
    resume: sound.resume,
    stop() {
      isStopped = true;
      clearInterval(timer);
      stopAll(picture, microphone, screenSound);
      picture = null;
      video.srcObject = null;
    },
  };
}

function stopAll(...tracks: readonly (MediaStreamTrack | null)[]): void {
  for (const track of tracks) track?.stop();
}
