/** Runs in the browser without a build step. */
export const clientScript = `'use strict';
(() => {
  const { page, session } = document.body.dataset;
  const connection = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16)).join('');
  const basePath = '/html5client/';
  const find = (id) => document.getElementById(id);

  async function post(action, fields) {
    const response = await fetch(basePath + action, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ sessionToken: session, ...fields }),
    });
    if (!response.ok) return go('join');
    show(await response.json());
  }

  async function refresh() {
    const query = new URLSearchParams({ sessionToken: session, connection });
    const response = await fetch(basePath + 'state?' + query);
    if (!response.ok) return go('join');
    show(await response.json());
  }

  function go(nextPage) {
    isStopped = true;
    location.replace(basePath + nextPage + '?sessionToken=' + session);
  }

  function show(view) {
    if (page === 'waiting') {
      if (view.status !== 'waiting') go('join');
      return;
    }
    if (['ended', 'denied', 'replaced'].includes(view.status)) return go('join');
    if (view.status !== 'in') return go('left');
    find('status').textContent = 'Connected';
    find('status').classList.add('is-joined');
    find('lead').textContent = 'You are in';
    find('outside').hidden = true;
    find('inside').hidden = false;
    find('recording').hidden = !view.isRecording;
    find('count').textContent = view.people.length;
    find('people').replaceChildren(...view.people.map(person));
    const record = find('record');
    if (record) {
      record.hidden = !view.canRecord;
      record.querySelector('button').textContent = view.isRecording ? 'Stop recording' : 'Start recording';
    }
    showMessages(view.messages);
    showWaiting(view.waiting);
  }

  function showMessages(messages) {
    const list = find('messages');
    const content = JSON.stringify(messages);
    if (list.dataset.shown === content) return;
    list.dataset.shown = content;
    find('chat').hidden = messages.length === 0;
    list.replaceChildren(...messages.map(({ userName, message }) =>
      element('li', '', element('b', '', userName), ' ', element('span', 'message', message))));
  }

  function showWaiting(waiting) {
    const list = find('waiting-list');
    if (!list) return;
    find('waiting').hidden = waiting.length === 0;
    find('waiting-count').textContent = waiting.length;
    const content = waiting.map((guest) => guest.userID).join();
    if (list.dataset.shown === content) return;
    list.dataset.shown = content;
    list.replaceChildren(...waiting.map((guest) => {
      const buttons = element('form', '', button('Admit', 'primary', guest, 'admit'), button('Deny', '', guest, 'deny'));
      return element('li', '', avatar(guest), element('span', 'who', guest.name), buttons);
    }));
  }

  function button(label, kind, guest, answer) {
    const node = element('button', kind, label);
    node.type = 'button';
    node.setAttribute('aria-label', label + ' ' + guest.name);
    node.addEventListener('click', () => void post('answer', { userID: guest.userID, answer }).catch(ignore));
    return node;
  }

  function person({ name, tag, isYou, ...portrait }) {
    const who = element('span', 'who', name);
    if (isYou) who.append(' ', element('small', '', 'you'));
    return element('li', '', avatar(portrait), who, element('span', 'tag', tag));
  }

  function avatar({ initials, colorIndex }) {
    const node = element('span', 'avatar color-' + colorIndex, initials);
    node.setAttribute('aria-hidden', 'true');
    return node;
  }

  function element(name, className, ...content) {
    const node = document.createElement(name);
    node.className = className;
    node.append(...content);
    return node;
  }

  let isStopped = false;
  const ignore = () => {};

  async function refreshRegularly() {
    while (!isStopped) {
      await new Promise((resolve) => setTimeout(resolve, 2000));
      if (!isStopped) await refresh().catch(() => showConnectionLost());
    }
  }

  function showConnectionLost() {
    const status = find('status');
    if (status) {
      status.textContent = 'Connection lost, trying again';
      status.classList.remove('is-joined');
    }
  }

  addEventListener('submit', (event) => {
    const form = event.target;
    const isEnd = form.getAttribute('action') === basePath + 'end';
    if (isEnd && !confirm('End the meeting for all?')) {
      event.preventDefault();
      return;
    }
    if (!form.hasAttribute('data-async')) {
      isStopped = true;
      return;
    }
    event.preventDefault();
    const action = form.getAttribute('action').split('/').pop();
    const fields = Object.fromEntries(new FormData(form, event.submitter));
    void post(action, action === 'enter' ? { ...fields, connection } : fields).catch(showConnectionLost);
  });

  if (page === 'room') {
    const enter = () => post('enter', { connection }).catch(showConnectionLost);
    addEventListener('pagehide', () => {
      navigator.sendBeacon(basePath + 'leave', new URLSearchParams({ sessionToken: session, connection }));
    });
    addEventListener('pageshow', (event) => {
      if (event.persisted) void enter();
    });
    void enter().then(refreshRegularly);
  } else if (page === 'waiting') {
    void refreshRegularly();
  }
})();
`;
