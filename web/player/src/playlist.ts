import { formatClock, drawIcon, element, type Texts, type Video } from './page.ts';

export interface Playlist {
  readonly element: HTMLElement;
  /** Marks the current video. */
  mark(videoId: string): void;
}

const minVideosForSearch = 6;

export function createPlaylist(texts: Texts, videos: readonly Video[], onSelect: (video: Video) => void): Playlist {
  const list = element('ul');
  const items = videos.map((video) => ({ video, item: createItem(texts, video, onSelect) }));
  list.append(...items.map(({ item }) => item));
  const noMatchNotice = element('p', { class: 'no-match', hidden: '' }, texts.noMatch);
  const search = element('input', { type: 'search', placeholder: texts.search, 'aria-label': texts.search });
  search.addEventListener('input', () => {
    const query = search.value.trim().toLocaleLowerCase();
    let matchCount = 0;
    for (const { video, item } of items) {
      const matches = `${video.name} ${video.description ?? ''}`.toLocaleLowerCase().includes(query);
      item.hidden = !matches;
      if (matches) matchCount += 1;
    }
    noMatchNotice.hidden = matchCount > 0;
  });
  const section = element('section', { class: 'playlist' }, element('h2', {}, texts.playlist));
  if (videos.length >= minVideosForSearch) section.append(search);
  section.append(list, noMatchNotice);
  return {
    element: section,
    mark(videoId) {
      for (const { video, item } of items) {
        const button = item.querySelector('button');
        if (video.id === videoId) button?.setAttribute('aria-current', 'true');
        else button?.removeAttribute('aria-current');
      }
    },
  };
}

function createItem(texts: Texts, video: Video, onSelect: (video: Video) => void): HTMLLIElement {
  const picture = video.poster_url === null ? element('span') : element('img', { src: video.poster_url, alt: '' });
  picture.className = 'thumbnail';
  const length = video.duration_seconds === null ? '' : formatClock(video.duration_seconds);
  const button = element(
    'button',
    { type: 'button' },
    picture,
    element('span', { class: 'title' }, video.name),
    element('span', { class: 'length' }, length),
  );
  button.addEventListener('click', () => onSelect(video));
  const item = element('li', {}, button);
  if (video.download_url !== null)
    item.append(
      element(
        'a',
        {
          href: video.download_url,
          download: '',
          title: texts.download,
          'aria-label': `${texts.download}: ${video.name}`,
        },
        drawIcon('M12 4v11M7.5 10.5l4.5 4.5 4.5-4.5M5 19.5h14'),
      ),
    );
  return item;
}
