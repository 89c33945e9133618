import type { Texts as WatchTexts } from '../page.ts';

/** The texts of the page, in its language. */
export interface Texts extends Pick<WatchTexts, 'refusals'> {
  readonly viewers: string;
  readonly noMicrophone: string;
  readonly mute: string;
  readonly retry: string;
  readonly start: string;
  readonly stop: string;
  readonly asking: string;
  readonly ready: string;
  readonly connecting: string;
  readonly onAir: string;
  readonly reconnecting: string;
  readonly chooseScreen: string;
  readonly endedTitle: string;
  readonly ended: string;
  /** By the `end_reason` of a session. */
  readonly endReasons: Readonly<Record<string, string>>;
  readonly back: string;
  readonly problems: Readonly<Record<string, string>> & { readonly failed: string };
}

/** The elements of the page, and its data. */
export interface BroadcastPage {
  readonly root: HTMLElement;
  readonly broadcastPath: string;
  readonly playbackPath: string;
  readonly roomHref: string;
  readonly hasViewers: boolean;
  /** Null without a limit. */
  readonly maxKbps: number | null;
  readonly maxHeight: number | null;
  readonly texts: Texts;
  readonly video: HTMLVideoElement;
  readonly badge: HTMLElement;
  readonly status: HTMLElement;
  readonly problem: HTMLElement;
  readonly form: HTMLFormElement;
  readonly cameras: HTMLSelectElement;
  readonly microphones: HTMLSelectElement;
  readonly meter: HTMLElement;
  readonly mute: HTMLButtonElement;
  readonly submit: HTMLButtonElement;
}

export function readPage(root: HTMLElement): BroadcastPage {
  const { dataset } = root;
  const find = <Part extends HTMLElement>(selector: string, type: new () => Part): Part => {
    const part = root.querySelector(selector);
    if (!(part instanceof type)) throw new Error(`The page has no ${selector}.`);
    return part;
  };
  return {
    root,
    broadcastPath: dataset['broadcast'] ?? '',
    playbackPath: dataset['playback'] ?? '',
    roomHref: dataset['roomHref'] ?? '/',
    hasViewers: dataset['hasViewers'] !== undefined,
    maxKbps: dataset['maxKbps'] ? Number(dataset['maxKbps']) : null,
    maxHeight: dataset['maxHeight'] ? Number(dataset['maxHeight']) : null,
    texts: JSON.parse(dataset['texts'] ?? '{}') as Texts,
    video: find('video', HTMLVideoElement),
    badge: find('.badge', HTMLElement),
    status: find('.status', HTMLElement),
    problem: find('.problem', HTMLElement),
    form: find('form', HTMLFormElement),
    cameras: find('#camera', HTMLSelectElement),
    microphones: find('#microphone', HTMLSelectElement),
    meter: find('.meter', HTMLElement),
    mute: find('[data-mute]', HTMLButtonElement),
    submit: find('[type=submit]', HTMLButtonElement),
  };
}
