import { IconMovie } from '@tabler/icons-react';
import { type FieldOf, type Noun, text } from '../../../kit/noun/noun.ts';
import { Video } from './kinds.table.ts';
import type { VideoRow } from './rows.ts';

export const videos: Noun<VideoRow, FieldOf<'updateVideo'>> = {
  resource: Video,
  path: 'videos',
  section: 'Rooms',
  singular: 'video',
  plural: 'Videos',
  summary: 'The videos of all video rooms.',
  emptyText: 'Upload videos on the page of a video room.',
  icon: IconMovie,
  param: 'video_id',
  list: 'listVideos',
  read: 'readVideo',
  update: 'updateVideo',
  remove: 'deleteVideo',
  titleOf: (row) => text(row, 'name'),
  detailOf: (row) => (row.room as { data?: { room_name?: string } | null } | undefined)?.data?.room_name ?? null,
  columns: ['name', 'state', 'room_id', 'duration_seconds', 'height', 'size_bytes', 'created_at'],
  filters: ['state'],
  heads: { duration_seconds: 'Length', height: 'Resolution', created_at: 'Uploaded' },
  order: { orderBy: 'created_at', sortedBy: 'desc' },
  groups: [
    { title: '', fields: ['name', 'description', 'published', 'sort_order'] },
    { title: 'Metadata', fields: ['video_metadata'] },
  ],
  hints: {
    published: 'Viewers of the room can see it.',
    sort_order: 'Viewers see videos with lower numbers first.',
  },
  deletion: 'Its files are deleted permanently and no longer use storage. Viewers who watch it are interrupted.',
};
