import { element } from '../page.ts';
import type { Source } from './capture.ts';
import type { BroadcastPage } from './page.ts';

export function readSource(form: HTMLFormElement): Source {
  return new FormData(form).get('source') === 'screen' ? 'screen' : 'camera';
}

export function setSource(form: HTMLFormElement, source: Source): void {
  for (const input of form.querySelectorAll<HTMLInputElement>('[name=source]')) input.checked = input.value === source;
  const camera = form.querySelector<HTMLElement>('[data-camera]');
  if (camera) camera.hidden = source !== 'camera';
}

export function fillDevices(
  select: HTMLSelectElement,
  devices: readonly MediaDeviceInfo[],
  current: string | undefined,
): void {
  const options = devices.map(({ deviceId, label }, index) =>
    element('option', { value: deviceId }, label === '' ? String(index + 1) : label),
  );
  select.replaceChildren(...options);
  if (current !== undefined && devices.some(({ deviceId }) => deviceId === current)) select.value = current;
}

export function showLevel(meter: HTMLElement, level: number): void {
  const bar = meter.querySelector<HTMLElement>('i');
  bar?.style.setProperty('--level', `${level}%`);
  // Screen readers would read every step.
  const announced = String(Math.round(level / 10) * 10);
  if (meter.getAttribute('aria-valuenow') !== announced) meter.setAttribute('aria-valuenow', announced);
}

/** @param code null removes the sentence */
export function showProblem({ problem, texts }: Pick<BroadcastPage, 'problem' | 'texts'>, code: string | null): void {
  if (code === null) return problem.replaceChildren();
  problem.replaceChildren(element('p', { class: 'alert' }, texts.problems[code] ?? texts.problems.failed));
}
