import { Video } from '@foyer/contract/resources/media/video.ts';
import { defineView } from '../../platform/list-query/view.ts';
import type { VideoRow } from './store.ts';

export interface Upload {
  readonly protocol: 'tus';
  readonly url: string;
  readonly expires_at: string;
}

export interface PrintedVideo extends VideoRow {
  poster_url?: string | null;
  upload?: Upload | null;
}

export const videoView = defineView<typeof Video.fields, PrintedVideo>({
  resource: Video,
  table: 'videos',
  async hydrate(rows, reader) {
    const rowsWithPoster = rows.filter((row) => row.has_poster);
    const servers = [...new Set(rowsWithPoster.map((row) => row.service_provider_id))];
    const addressOf = await reader.imageAddresses(reader.db, servers);
    for (const row of rows) {
      row.upload ??= null;
      row.poster_url = row.has_poster
        ? addressOf({ providerId: row.service_provider_id, roomId: row.room_id, videoId: row.id }, posterName(row))
        : null;
    }
  },
  transform: (row) => ({
    renditions: [...row.renditions],
    poster_url: row.poster_url ?? null,
    captions: [...row.captions],
    upload: row.upload ?? null,
  }),
});

/** Each revision of a poster has its own name, because browsers cache posters. */
export function posterName({ poster_revision: revision }: { readonly poster_revision: number }): string {
  return revision === 0 ? 'poster.jpg' : `poster.jpg?v=${revision}`;
}
