/** The pages work without it: it enters and looks again by itself, without reloading under a reader's feet. */
export const pageScript = `'use strict';
(function () {
  const lookEveryMs = 5000;

  for (const form of document.querySelectorAll('form[data-door]')) {
    const button = form.querySelector('button[type=submit]');
    const label = button.textContent;
    form.addEventListener('submit', function () {
      setTimeout(function () { button.disabled = true; button.textContent = form.dataset.door; });
    });
    addEventListener('pageshow', function (event) {
      if (event.persisted) { button.disabled = false; button.textContent = label; }
    });
  }

  const ready = document.querySelector('form[data-ready]');
  if (ready) ready.requestSubmit();

  if (document.querySelector('[data-waiting]')) setTimeout(look, lookEveryMs);

  async function look() {
    try {
      const answer = await fetch(location.href, { credentials: 'same-origin', cache: 'no-store' });
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      if (answer.status < 500 && !page.querySelector('[data-waiting]')) return location.reload();
    } catch { /* Offline for a moment: look again. */ }
    setTimeout(look, lookEveryMs);
  }
})();
`;
