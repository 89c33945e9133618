import { Type } from 'typebox';
import { collection } from '../../conventions/collection.ts';
import { created, empty, endpoint, holders, list, members, single } from '../../conventions/endpoint.ts';
import {
  boolean,
  derived,
  identifier,
  instant,
  integer,
  listOf,
  longText,
  metadata,
  nullable,
  object,
  oneOf,
  optional,
  text,
} from '../../conventions/field.ts';
import { identity, one, resource, timestamps } from '../../conventions/resource.ts';

export const videoStates = ['awaiting-upload', 'uploading', 'queued', 'processing', 'ready', 'failed'] as const;
export type VideoStateName = (typeof videoStates)[number];

const rendition = object({
  height: integer(),
  bitrate: { ...integer(), description: 'Bits per second.' },
  codec: text(100),
});

const caption = object({ language: text(35, { description: 'Such as `pt-BR`.' }), label: text(100) });

const upload = object({
  protocol: oneOf(['tus'], 'The resumable upload protocol tus 1.0.'),
  url: text(2048, { description: 'Upload the file here with `HEAD` and `PATCH`, without a token.' }),
  expires_at: { ...instant(), description: 'When an incomplete upload expires.' },
});

const size = { ...Type.Integer({ minimum: 1, maximum: 5_000_000_000_000 }), description: 'Size of the file.' };
const name = text(150, { minLength: 1, freeText: true });
const sortOrder = {
  ...Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 }),
  description: 'Lower numbers come first.',
};

export const Video = resource('video', {
  readPermission: 'read-rooms',
  fields: {
    ...identity('video'),
    room_id: identifier('room'),
    name,
    description: nullable(longText({ freeText: true })),
    state: oneOf(
      videoStates,
      '`queued` and `processing`: it can be watched once `renditions` has an entry. `failed`: `failure` tells why.',
    ),
    progress: { ...integer(0, 100), description: 'Percentage of the upload, then of the processing.' },
    failure: derived(nullable(object({ code: text(100), message: text(500) }))),
    duration_seconds: nullable(Type.Number({ minimum: 0 })),
    width: nullable(integer()),
    height: nullable(integer()),
    size_bytes: size,
    stored_bytes: {
      ...nullable(Type.Integer({ minimum: 0 })),
      description: 'Counts against `max_storage` once it is processed; until then `size_bytes` counts.',
    },
    renditions: derived({ ...listOf(rendition, 20), description: 'The highest resolution first.' }),
    poster_url: derived(
      nullable(
        text(2048, {
          description: 'Works without a token for at least an hour. Null in events, and if the video has no poster.',
        }),
      ),
    ),
    captions: derived(listOf(caption, 100)),
    published: boolean('Whether viewers of the room can see it.'),
    sort_order: sortOrder,
    video_metadata: metadata(),
    upload: derived({ ...nullable(upload), description: 'Only in the response that creates the video.' }),
    ...timestamps(),
  },
  includes: { room: one('Room') },
});

const tag = 'Videos';
const params = { video_id: 'video' } as const;
const manage = holders('manage-rooms-videos', members('manage-videos', 'video', 'video_id'));
const megabyte = 1_000_000;

const details = {
  description: optional(nullable(longText())),
  published: optional(boolean()),
  sort_order: optional(sortOrder),
  video_metadata: optional(nullable(metadata())),
};

const captionParams = {
  ...params,
  language: {
    pattern: '^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$',
    description: 'A language tag (BCP 47), such as `pt-BR`.',
    example: 'pt-BR',
  },
} as const;

const creationErrors = [
  'feature-limit-reached',
  'not-a-video-room',
  'room-inactive',
  'account-not-active',
  'customer-not-active',
  'subscription-not-usable',
  'no-usable-provider',
  'provider-unavailable',
] as const;

const videos = collection(Video, { path: '/videos', tag, elementParams: params });

export const videoEndpoints = {
  listVideos: endpoint({
    ...videos.list,
    summary: 'List videos',
    description: '`search=state:failed` finds those that could not be processed.',
    access: holders('read-rooms', members('read-room')),
  }),
  listRoomVideos: endpoint({
    method: 'GET',
    path: '/rooms/:room_id/videos',
    tag,
    summary: 'List the videos of a room',
    access: holders('read-rooms', members('read-room', 'room', 'room_id')),
    params: { room_id: 'room' },
    answer: list(Video),
  }),
  createVideo: endpoint({
    method: 'POST',
    path: '/rooms/:room_id/videos',
    tag,
    summary: 'Create a video and get an address to upload its file',
    description:
      'Counts against `max_videos`, and reserves `size_bytes` of `max_storage`. Upload the file to `upload.url` with tus 1.0 within 24 hours; an interrupted upload continues where it stopped. Processing counts against `transcoding_minutes`.',
    access: holders('manage-rooms-videos', members('manage-videos', 'room', 'room_id')),
    params: { room_id: 'room' },
    asksProvider: true,
    body: object({
      name,
      size_bytes: size,
      content_type: optional(
        nullable(
          text(100, { description: 'The media type of the file; only `video/…`, `audio/…` and unknown types.' }),
        ),
      ),
      ...details,
    }),
    answer: created(Video),
    errors: creationErrors,
  }),
  copyRecordingToRoom: endpoint({
    method: 'POST',
    path: '/recordings/:recording_id/copy-to-room',
    tag: 'Recordings',
    summary: 'Copy the recording of a broadcast to a video room',
    description:
      'Creates a video in a room of the same customer, with the name of the recording; it is published if the recording is. Counts against the same limits as an upload, except `max_upload_size`. The media server of the room fetches the file. The recording is kept. Administrators also need the permission `read-recordings`, and users the right `manage-videos` in the room.',
    access: holders('manage-rooms-videos', members('read-recordings', 'recording', 'recording_id')),
    params: { recording_id: 'rec' },
    asksProvider: true,
    body: object({ room_id: identifier('room', 'A room of the type `video`.') }),
    answer: created(Video),
    errors: ['recording-not-ready', 'recording-not-copyable', ...creationErrors],
  }),
  readVideo: endpoint({
    ...videos.read,
    summary: 'Read a video',
    access: holders('read-rooms', members('read-room', 'video', 'video_id')),
  }),
  updateVideo: endpoint({
    ...videos.update,
    summary: 'Rename, describe, order or publish a video',
    access: manage,
    body: object({ name: optional(name), ...details }),
    immutable: object({ room_id: optional(identifier('room')) }),
  }),
  deleteVideo: endpoint({
    ...videos.delete,
    summary: 'Delete a video with its files',
    description:
      'The video is deleted here immediately and no longer counts against any limit. If the media server does not respond, the platform tries again until it has deleted the files.',
    access: manage,
  }),
  retryVideo: endpoint({
    method: 'POST',
    path: '/videos/:video_id/retry',
    tag,
    summary: 'Process a failed video again',
    description: 'Reserves its storage again. Transcoding minutes are not charged twice.',
    access: manage,
    params,
    asksProvider: true,
    answer: single(Video),
    errors: ['video-not-failed', 'feature-limit-reached', 'provider-unavailable'],
  }),
  setVideoPoster: endpoint({
    method: 'PUT',
    path: '/videos/:video_id/poster',
    tag,
    summary: 'Set the poster of a video',
    description:
      'The picture that is shown before the video plays, up to 10 MB. Replaces the one that was taken from the video.',
    access: manage,
    params,
    asksProvider: true,
    file: ['image/jpeg', 'image/png', 'image/webp'],
    bodyLimit: 10 * megabyte,
    answer: single(Video),
    errors: ['file-not-accepted', 'provider-unavailable'],
  }),
  setVideoCaptions: endpoint({
    method: 'PUT',
    path: '/videos/:video_id/captions/:language',
    tag,
    summary: 'Add captions in a language, or replace them',
    description: 'WebVTT or SubRip of up to 2 MB in UTF-8.',
    access: manage,
    params: captionParams,
    query: object({
      label: optional(
        text(100, { description: 'The label that viewers see; by default the name of the language in that language.' }),
      ),
    }),
    asksProvider: true,
    file: ['text/vtt', 'application/x-subrip'],
    bodyLimit: 2 * megabyte,
    answer: single(Video),
    errors: ['file-not-accepted', 'provider-unavailable'],
  }),
  deleteVideoCaptions: endpoint({
    method: 'DELETE',
    path: '/videos/:video_id/captions/:language',
    tag,
    summary: 'Delete the captions in a language',
    access: manage,
    params: captionParams,
    asksProvider: true,
    answer: empty,
    errors: ['provider-unavailable'],
  }),
};
