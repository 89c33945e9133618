/** Search, the mark of the current section, and the copy buttons. The pages work without it. */
export const referenceScript = `'use strict';
(function () {
  const contents = document.getElementById('contents');
  const field = contents.querySelector('.search');
  const input = field.querySelector('input');
  const status = contents.querySelector('[role=status]');
  const results = contents.querySelector('.search-results');
  const pages = contents.querySelector('.pages');

  let index = null;
  function load() {
    index = index || fetch(field.dataset.index).then(function (answer) { return answer.json(); }).then(function (rows) {
      return rows.map(function (row) {
        return { title: row[0], page: row[1], href: row[2], verb: row[3], name: row[0].toLowerCase(), text: row.join(' ').toLowerCase() };
      });
    });
    return index;
  }

  field.hidden = false;
  input.addEventListener('focus', load);
  input.addEventListener('input', search);
  addEventListener('pageshow', search);
  contents.addEventListener('keydown', function (event) {
    const links = [...results.querySelectorAll('a')];
    const position = links.indexOf(document.activeElement);
    if (event.key === 'Escape') {
      if (input.value === '') input.blur();
      else input.focus();
      clear();
    }
    if (event.key === 'Enter' && event.target === input) {
      event.preventDefault();
      search().then(function () {
        const first = results.querySelector('a');
        if (first) first.click();
      });
    }
    if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && links.length > 0 && (position >= 0 || event.target === input)) {
      event.preventDefault();
      const next = position + (event.key === 'ArrowDown' ? 1 : -1);
      (next < 0 ? input : links[Math.min(next, links.length - 1)]).focus();
    }
  });
  addEventListener('keydown', function (event) {
    const isTyping = event.target.closest && event.target.closest('input, textarea, select, [contenteditable]');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (!input.offsetParent) location.hash = 'contents';
    input.focus();
    input.select();
  });
  results.addEventListener('click', function (event) {
    if (event.target.closest('a') && !event.ctrlKey && !event.metaKey && !event.shiftKey) clear();
  });

  const maxResults = 60;

  /** Every word must occur in the entry. Matches in titles come first. */
  function search() {
    const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const isSearching = words.length > 0;
    pages.hidden = isSearching;
    results.hidden = !isSearching;
    if (!isSearching) {
      results.replaceChildren();
      status.textContent = '';
      return Promise.resolve();
    }
    return load().then(function (entries) {
      const hits = entries
        .filter(function (entry) { return words.every(function (word) { return entry.text.includes(word); }); })
        .map(function (entry, position) { return { entry: entry, rank: rankOf(entry, words), position: position }; })
        .sort(function (one, other) { return other.rank - one.rank || one.position - other.position; });
      results.replaceChildren(...hits.slice(0, maxResults).map(function (hit) { return itemOf(hit.entry); }));
      if (hits.length === 0) {
        const noResults = document.createElement('li');
        noResults.className = 'no-results';
        noResults.textContent = 'No results.';
        results.append(noResults);
      }
      status.textContent = hits.length + (hits.length === 1 ? ' result' : ' results');
    });
  }

  /** Among equal titles, pages come first, then short names, then entries of catalogues. */
  function rankOf(entry, words) {
    const name = entry.name;
    let rank = 0;
    for (const word of words) {
      if (name === word) rank += 5;
      else if (name.startsWith(word)) rank += 3;
      else if (name.includes(' ' + word)) rank += 2;
      else if (name.includes(word)) rank += 1;
    }
    // "change package" must find the operation changePackage before sections with a similar title.
    if (words.length > 1 && entry.href.split('#')[1]?.toLowerCase() === words.join('')) return rank + 20;
    if (rank === 0) return 0;
    if (!entry.href.includes('#')) rank += 2.5;
    if (/^[a-z0-9*:_-]+$/.test(name) && name !== words.join(' ')) rank -= 1.5;
    return rank + 1 - Math.min(name.length, 90) / 90;
  }

  function itemOf(entry) {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = entry.href;
    if (entry.verb) {
      const verb = document.createElement('span');
      verb.className = 'verb ' + entry.verb;
      verb.textContent = entry.verb.toUpperCase();
      link.append(verb, ' ');
    }
    const text = document.createElement('span');
    const page = document.createElement('small');
    text.append(entry.title, ' ', page);
    page.textContent = entry.page;
    link.append(text);
    item.append(link);
    return item;
  }

  function clear() {
    if (input.value === '') return;
    input.value = '';
    search();
  }

  const links = new Map();
  for (const link of contents.querySelectorAll('.anchors a')) links.set(link.getAttribute('href').slice(1), link);
  const seen = new Set();
  const sections = [...links.keys()].map(function (id) { return document.getElementById(id); }).filter(Boolean);
  let markedLink = null;
  const observer = new IntersectionObserver(function (entries) {
    for (const entry of entries) seen[entry.isIntersecting ? 'add' : 'delete'](entry.target);
    const section = sections.findLast(function (candidate) { return seen.has(candidate); });
    if (section) mark(links.get(section.id));
  }, { rootMargin: '-80px 0px -75% 0px' });
  for (const section of sections) observer.observe(section);

  function mark(link) {
    if (link === markedLink) return;
    if (markedLink) markedLink.removeAttribute('aria-current');
    markedLink = link;
    link.setAttribute('aria-current', 'location');
    reveal(link);
  }

  function reveal(link) {
    if (!contents.offsetParent && getComputedStyle(contents).position !== 'fixed') return;
    const { top, bottom } = link.getBoundingClientRect();
    const head = contents.querySelector('.head').getBoundingClientRect().bottom;
    if (top < head || bottom > innerHeight - 24) contents.scrollTop += top - innerHeight / 2;
  }
  const currentPage = contents.querySelector('a[aria-current=page]');
  if (currentPage) {
    const { top } = currentPage.getBoundingClientRect();
    if (top > innerHeight - 96) contents.scrollTop += top - 160;
  }

  if (navigator.clipboard) {
    for (const sample of document.querySelectorAll('.sample')) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = 'Copy';
      button.setAttribute('aria-label', 'Copy: ' + sample.querySelector('figcaption').textContent);
      button.addEventListener('click', function () {
        navigator.clipboard.writeText(sample.querySelector('pre').textContent).then(function () {
          button.textContent = 'Copied';
          setTimeout(function () { button.textContent = 'Copy'; }, 1500);
        });
      });
      sample.querySelector('figcaption').append(button);
    }
  }
})();
`;
