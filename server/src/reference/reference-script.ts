/** The page reads in full without it: it searches, marks where the reader is, and copies. */
export const referenceScript = `'use strict';
(function () {
  const contents = document.getElementById('contents');
  const field = contents.querySelector('.search');
  const input = field.querySelector('input');
  const found = contents.querySelector('.found');
  const groups = [...contents.querySelectorAll('details')];
  const none = document.querySelector('main > .none');
  const operations = [...document.querySelectorAll('.operation')].map(function (section) {
    const title = section.querySelector('h3').textContent;
    const route = section.querySelector('.route').textContent;
    const access = section.querySelector('.access').textContent;
    return { section: section, text: [section.id, title, route, access].join(' ').toLowerCase() };
  });
  const links = new Map();
  for (const link of contents.querySelectorAll('a[href^="#"]')) {
    if (!link.classList.contains('brand') && !link.classList.contains('button')) links.set(link.getAttribute('href').slice(1), link);
  }

  field.hidden = false;
  input.addEventListener('input', search);
  input.addEventListener('keydown', function (event) {
    if (event.key === 'Escape') {
      if (input.value === '') input.blur();
      clear();
    }
    if (event.key === 'Enter') {
      const first = document.querySelector('.operation:not([hidden])');
      if (first) { location.hash = first.id; first.scrollIntoView(); }
    }
  });
  addEventListener('keydown', function (event) {
    const typing = event.target.closest('input, textarea, select, [contenteditable]');
    if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (!input.offsetParent) location.hash = 'contents';
    input.focus();
    input.select();
  });
  contents.addEventListener('click', function (event) {
    const link = event.target.closest('a[href^="#"]');
    const target = link && document.getElementById(link.getAttribute('href').slice(1));
    if (target && target.closest('main') && (target.hidden || target.closest('[hidden]'))) clear();
  });

  /** Every word must occur in the name, title, path or permission of an operation. */
  function search() {
    const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const searching = words.length > 0;
    let count = 0;
    document.body.classList.toggle('searching', searching);
    for (const operation of operations) {
      const matches = words.every(function (word) { return operation.text.includes(word); });
      if (matches) count += 1;
      operation.section.hidden = !matches;
      const link = links.get(operation.section.id);
      if (link) link.parentElement.hidden = !matches;
    }
    for (const group of groups) {
      const chapter = document.getElementById(group.dataset.chapter);
      const isEmpty = searching && !chapter.querySelector('.operation:not([hidden])');
      group.hidden = chapter.hidden = isEmpty;
      group.open = searching ? !isEmpty : group === current;
    }
    none.hidden = !searching || count > 0;
    found.textContent = searching ? count + (count === 1 ? ' operation' : ' operations') : '';
    if (searching) scrollTo(0, 0);
  }

  function clear() {
    if (input.value === '') return;
    input.value = '';
    search();
  }

  let current = null;
  let marked = null;
  const seen = new Set();
  const places = [...links.keys()].map(function (id) { return document.getElementById(id); }).filter(Boolean);
  const observer = new IntersectionObserver(function (entries) {
    for (const entry of entries) seen[entry.isIntersecting ? 'add' : 'delete'](entry.target);
    const place = places.findLast(function (candidate) { return seen.has(candidate); });
    if (place) mark(links.get(place.id));
  }, { rootMargin: '-80px 0px -75% 0px' });
  for (const place of places) observer.observe(place);

  function mark(link) {
    if (link === marked) return;
    if (marked) marked.removeAttribute('aria-current');
    marked = link;
    link.setAttribute('aria-current', 'location');
    const group = link.closest('details');
    if (input.value === '' && group !== current) {
      if (current) current.open = false;
      if (group) group.open = true;
      current = group;
    }
    if (!contents.offsetParent && getComputedStyle(contents).position !== 'fixed') return;
    const { top, bottom } = link.getBoundingClientRect();
    const head = contents.querySelector('.head').getBoundingClientRect().bottom;
    if (top < head || bottom > innerHeight - 24) contents.scrollTop += top - innerHeight / 2;
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
