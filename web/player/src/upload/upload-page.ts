import { type InterruptedUpload, interruptedUploads } from '../../../kit/uploads/interrupted-uploads.ts';
import { createUploadQueue, type QueuedUpload, titleOf, type UploadTarget } from '../../../kit/uploads/upload-queue.ts';
import { drawIcon, element } from '../page.ts';
import { bytesText, fill, problemOf, refusalText, type Texts } from './texts.ts';

/** A refusal of the platform. */
class UploadRefused extends Error {
  readonly limit: string | null;

  constructor(code: string, limit: string | null = null) {
    super(code);
    this.limit = limit;
  }
}

/** The page on which signed-in users upload videos: chosen or dropped files, one after the other. */
export function startUploadPage(root: HTMLElement): void {
  const { uploads: address = '', roomId = '', texts: json = '{}' } = root.dataset;
  const texts = JSON.parse(json) as Texts;
  const [drop, list, input] = [root.querySelector<HTMLElement>('.drop'), root.querySelector('ul'), inputOf(root)];
  if (!drop || !list || !input) throw new Error('The page has no drop area for files.');
  const queue = createUploadQueue({
    create: (_roomId, file) => createVideo(address, file),
    async discard(videoId) {
      await send(`${address}/${videoId}`, { method: 'DELETE' }).catch(() => {});
    },
    emptyFile: texts.problems['empty'] ?? texts.problems.failed,
    describeFailure: (error) =>
      error instanceof UploadRefused ? problemOf(texts, error.message, error.limit) : texts.problems.failed,
    describeRefusal: (status) => refusalText(texts, status),
    onVideoChange: show,
  });
  const lines = new Map<string, Line>();

  function add(files: Iterable<File>): void {
    queue.add(roomId, [...files]);
  }

  function show(): void {
    const uploads = queue.uploads();
    const interrupted = interruptedUploads(localStorage, Date.now()).filter(
      (one) => one.roomId === roomId && !uploads.some((upload) => isFileOf(one, upload.file)),
    );
    const current = new Set<string>();
    const showLine = (key: string, create: () => Line): Line => {
      current.add(key);
      const line = lines.get(key) ?? create();
      lines.set(key, line);
      if (!line.root.isConnected) list?.append(line.root);
      return line;
    };
    for (const upload of uploads)
      showUpload(
        showLine(`${upload.key}`, () => createLine(upload.file.name)),
        upload,
      );
    for (const one of interrupted) showLine(one.videoId, () => createInterruptedLine(one));
    for (const [key, line] of lines) {
      if (current.has(key)) continue;
      line.root.remove();
      lines.delete(key);
    }
  }

  function showUpload(line: Line, upload: QueuedUpload): void {
    const { key, file, state, sentBytes } = upload;
    const percent = file.size === 0 ? 0 : Math.floor((sentBytes / file.size) * 100);
    line.root.dataset['state'] = state;
    line.progress.value = percent;
    line.progress.textContent = `${percent} %`;
    line.progress.setAttribute('aria-label', fill(texts.progress, { file: file.name }));
    line.status.textContent = sentenceOf(texts, upload);
    const actions = { uploading: pauseAction, paused: resumeAction, failed: retryAction } as const;
    const action = state in actions && file.size > 0 ? actions[state as keyof typeof actions] : null;
    const buttons = [
      ...(action === null ? [] : [button(action(key), file.name)]),
      button([state === 'done' ? texts.hide : texts.cancel, icons.close, () => void queue.remove(key)], file.name),
    ];
    if (line.state !== state) line.buttons.replaceChildren(...buttons);
    line.state = state;
  }

  const pauseAction = (key: number): Action => [texts.pause, icons.pause, () => queue.pause(key)];
  const resumeAction = (key: number): Action => [texts.resume, icons.resume, () => queue.resume(key)];
  const retryAction = (key: number): Action => [texts.retry, icons.retry, () => queue.resume(key)];

  function createInterruptedLine(upload: InterruptedUpload): Line {
    const line = createLine(upload.fileName);
    line.root.dataset['state'] = 'interrupted';
    line.progress.hidden = true;
    line.status.textContent = texts.interrupted;
    const chooser = element('input', { type: 'file' });
    chooser.addEventListener('change', () => {
      const [file] = chooser.files ?? [];
      if (file && isFileOf(upload, file)) add([file]);
      else line.status.textContent = texts.differentFile;
    });
    const label = fill(texts.continueUpload, { file: upload.fileName });
    line.buttons.append(
      element('label', { class: 'button quiet', title: label }, texts.choose, chooser),
      button([texts.cancel, icons.close, () => void queue.discard(upload.videoId)], upload.fileName),
    );
    chooser.setAttribute('aria-label', label);
    return line;
  }

  queue.subscribe(show);
  input.addEventListener('change', () => {
    add(input.files ?? []);
    input.value = '';
  });
  for (const type of ['dragover', 'dragleave', 'drop'] as const)
    root.addEventListener(type, (event) => {
      event.preventDefault();
      root.toggleAttribute('data-over', type === 'dragover');
      if (type === 'drop') add(event.dataTransfer?.files ?? []);
    });
  addEventListener('beforeunload', (event) => {
    if (queue.uploads().some(({ state }) => state === 'uploading' || state === 'waiting')) event.preventDefault();
  });
  drop.hidden = false;
  show();
}

interface Line {
  readonly root: HTMLElement;
  readonly progress: HTMLProgressElement;
  readonly status: HTMLElement;
  readonly buttons: HTMLElement;
  state: QueuedUpload['state'] | null;
}

/** A label with `{file}`, an icon, and the handler of the click. */
type Action = readonly [label: string, icon: string, act: () => void];

/** SVG paths in a 24 × 24 view box. */
const icons = {
  pause: 'M7 5v14M17 5v14',
  resume: 'M7 4.5v15l12-7.5z',
  retry: 'M19.5 12a7.5 7.5 0 1 1-2.2-5.3M19.5 3.5v4h-4',
  close: 'M6 6l12 12M18 6L6 18',
};

function createLine(name: string): Line {
  const progress = element('progress', { max: '100' });
  const status = element('p', { class: 'soft' });
  const buttons = element('div', { class: 'buttons' });
  const text = element('div', { class: 'text' }, element('strong', {}, name), progress, status);
  return { root: element('li', {}, text, buttons), progress, status, buttons, state: null };
}

function button([label, icon, act]: Action, file: string): HTMLElement {
  const name = fill(label, { file });
  const part = element('button', { type: 'button', class: 'quiet', 'aria-label': name, title: name }, drawIcon(icon));
  part.addEventListener('click', act);
  return part;
}

function sentenceOf(texts: Texts, { state, file, sentBytes, bytesPerSecond, failure }: QueuedUpload): string {
  if (failure !== null) return failure;
  if (state === 'done') return texts.done;
  if (state === 'waiting') return texts.waiting;
  const amount = fill(texts.amount, { sent: bytesText(sentBytes), total: bytesText(file.size) });
  if (state === 'paused') return `${texts.paused} · ${amount}`;
  if (bytesPerSecond === null || bytesPerSecond <= 0) return amount;
  const minutes = (file.size - sentBytes) / bytesPerSecond / 60;
  const left = minutes < 1 ? texts.nearlyDone : fill(texts.minutesLeft, { minutes: String(Math.round(minutes)) });
  return `${amount} · ${bytesText(bytesPerSecond)}/s · ${left}`;
}

async function createVideo(address: string, file: File): Promise<UploadTarget> {
  const { name, size, type } = file;
  const response = await send(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: titleOf(name), size_bytes: size, content_type: type || null }),
  });
  const target = (await response.json()) as { video_id: string; url: string; expires_at: string };
  return { videoId: target.video_id, url: target.url, expiresAt: target.expires_at };
}

/** @throws UploadRefused */
async function send(address: string, init: RequestInit): Promise<Response> {
  const response = await fetch(address, init).catch(() => {
    throw new UploadRefused('provider-unavailable');
  });
  if (response.ok) return response;
  const answer: unknown = await response.json().catch(() => null);
  const { code = '', limit = null } = (answer ?? {}) as { code?: string; limit?: string | null };
  throw new UploadRefused(code, limit);
}

function isFileOf(upload: InterruptedUpload, file: File): boolean {
  return file.name === upload.fileName && file.size === upload.sizeBytes && file.lastModified === upload.lastModified;
}

function inputOf(root: HTMLElement): HTMLInputElement | null {
  return root.querySelector('.drop input');
}
