import type { FastifyInstance } from 'fastify';
import { assetsPath, fingerprint, sendAsset } from '../../../platform/page/page-assets.ts';

/**
 * Submits the form once the meeting is running, lists devices, and listens for the start of a meeting. The pages also
 * work without this script.
 */
export const pageScript = `'use strict';
(function () {
  const checkEveryMs = 10000;

  for (const form of document.querySelectorAll('form[data-busy-label]')) {
    const button = form.querySelector('button[type=submit]');
    const label = button.textContent;
    form.addEventListener('submit', function () {
      setTimeout(function () { button.disabled = true; button.textContent = form.dataset.busyLabel; });
    });
    addEventListener('pageshow', function (event) {
      if (event.persisted) { button.disabled = false; button.textContent = label; }
    });
  }

  const ready = document.querySelector('form[data-ready]');
  if (ready) ready.requestSubmit();

  const devices = document.querySelector('[data-devices]');
  if (devices) showDevices(devices, JSON.parse(devices.dataset.devices));

  const waiting = document.querySelector('[data-waiting]');
  if (waiting) listen(waiting.dataset.waiting);

  async function showDevices(section, texts) {
    const list = section.querySelector('ul');
    const addResult = function (kind, isFound, text) {
      const item = list.appendChild(document.createElement('li'));
      item.className = kind + (isFound ? ' is-found' : ' is-missing');
      item.textContent = text;
    };
    const framed = section.querySelector('[data-framed]');
    if (framed && window.top !== window) framed.hidden = false;
    if (!navigator.mediaDevices || !window.RTCPeerConnection) return addResult('browser', false, texts.unusable);
    const available = await navigator.mediaDevices.enumerateDevices().catch(function () { return []; });
    const hasDevice = function (kind) { return available.some(function (device) { return device.kind === kind; }); };
    list.replaceChildren();
    addResult('microphone', hasDevice('audioinput'), hasDevice('audioinput') ? texts.microphone : texts.noMicrophone);
    addResult('camera', hasDevice('videoinput'), hasDevice('videoinput') ? texts.camera : texts.noCamera);
    navigator.mediaDevices.ondevicechange = function () { showDevices(section, texts); };
  }

  function listen(address) {
    const source = window.EventSource ? new EventSource(address) : null;
    if (source) source.addEventListener('started', function () { source.close(); location.reload(); });
    // The event source only reports the start. If the room is closed, or events do not arrive, the page is read again.
    setTimeout(checkPage, checkEveryMs);
    async function checkPage() {
      try {
        if (!source || source.readyState !== 1 || Math.random() < 0.2) {
          const answer = await fetch(location.href, { credentials: 'same-origin', cache: 'no-store' });
          const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
          if (answer.status < 429 && !page.querySelector('[data-waiting]')) return location.reload();
        }
      } catch { /* Offline: the next check tries again. */ }
      setTimeout(checkPage, checkEveryMs);
    }
  }
})();
`;

/** The script's address, relative to the path of the assets. */
export const scriptAsset = `page.js?v=${fingerprint(pageScript)}`;

export function registerScript(server: FastifyInstance): void {
  server.get(`${assetsPath}/page.js`, (_request, reply) => sendAsset(reply, 'text/javascript', pageScript));
}
