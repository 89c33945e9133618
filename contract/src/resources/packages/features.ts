import { type ServiceType, serviceTypes } from '../providers/provider-types.ts';
import { type FeatureDefinition, flag, limit, perMonth } from './feature-definition.ts';

const meet = ['meet'] as const;
const video = ['video'] as const;
const broadcasts = ['live', 'simulcast'] as const;
const media = [...video, ...broadcasts] as const;
const recordable = [...meet, ...broadcasts] as const;

export const features = [
  {
    ...limit('max_accounts', 'Accounts', 'Accounts of the subscription.', {
      unit: 'accounts',
      aggregationType: 'count',
    }),
    consumable: true,
    absentValue: '0',
    serviceTypes,
  },
  {
    ...limit('max_rooms', 'Rooms', 'Rooms across all accounts.', { unit: 'rooms', aggregationType: 'count' }),
    consumable: true,
    absentValue: '0',
    serviceTypes,
  },
  limit('max_participants', 'Participants per room', 'Participants in one room at the same time.', {
    unit: 'participants',
    aggregationType: 'max',
  }),
  {
    ...limit(
      'max_concurrent_participants',
      'Concurrent participants',
      'Participants in all rooms of the subscription at the same time.',
      { unit: 'participants', aggregationType: 'max' },
    ),
    serviceTypes,
  },
  {
    ...limit(
      'max_concurrent_meetings',
      'Concurrent meetings',
      'Meetings in all rooms of the subscription at the same time.',
      {
        unit: 'meetings',
        aggregationType: 'max',
      },
    ),
    serviceTypes,
  },
  {
    ...limit('max_duration', 'Meeting duration', 'Duration of one meeting.', {
      unit: 'minutes',
      aggregationType: 'max',
    }),
    serviceTypes: recordable,
  },
  {
    ...limit(
      'participant_minutes',
      'Participant minutes',
      'Minutes that all participants together can spend in meetings per period.',
      { unit: 'minutes', aggregationType: 'sum' },
    ),
    consumable: true,
    resettablePeriod: 1,
    resettableInterval: 'month',
  },
  { ...flag('recording', 'Recording', 'Meetings can be recorded.'), serviceTypes: recordable },
  {
    ...limit('max_recordings', 'Recordings', 'Recordings that are kept.', {
      unit: 'recordings',
      aggregationType: 'count',
    }),
    serviceTypes: recordable,
  },
  {
    ...limit('max_storage', 'Storage', 'Storage that recordings and videos use.', {
      unit: 'GB',
      aggregationType: 'sum',
    }),
    serviceTypes,
  },
  {
    ...limit('record_expiration', 'Recording expiration', 'Days after which a recording is deleted.', {
      unit: 'days',
      aggregationType: null,
    }),
    serviceTypes: recordable,
  },
  flag('screen_sharing', 'Screen sharing', 'Participants can share their screen.'),
  flag('webcams', 'Webcams', 'Participants can share their webcam.'),
  flag('public_chat', 'Public chat', 'Participants can write to everyone.'),
  flag('private_chat', 'Private chat', 'Participants can write to each other.'),
  flag('polls', 'Polls', 'Presenters can hold polls.'),
  flag('shared_notes', 'Shared notes', 'Participants can write notes together.'),
  flag('presentation_upload', 'Presentation upload', 'Presenters can upload documents.'),
  flag('breakout_rooms', 'Breakout rooms', 'Moderators can split a meeting into groups.'),
  flag('virtual_backgrounds', 'Virtual backgrounds', 'Participants can choose a virtual background.'),
  flag('captions', 'Captions', 'Speech can be shown as text.'),
  flag('learning_dashboard', 'Learning dashboard', 'Moderators see how active each participant is.'),
  flag('external_videos', 'External videos', 'Presenters can show videos from other sites.'),
  flag('raise_hand', 'Raise hand', 'Participants can raise their hand.'),
  flag('layouts', 'Layouts', 'Participants can change the layout of the meeting.'),
  {
    ...limit('max_viewers', 'Viewers per room', 'Viewers in one room at the same time.', {
      unit: 'viewers',
      aggregationType: 'max',
    }),
    serviceTypes: media,
    absentValues: { simulcast: '0' },
  },
  {
    ...limit('viewer_minutes', 'Viewer minutes', 'Minutes that all viewers together can watch per period.', {
      unit: 'minutes',
      aggregationType: 'sum',
    }),
    ...perMonth,
    serviceTypes: media,
  },
  {
    ...limit('max_videos', 'Videos', 'Videos across all rooms.', { unit: 'videos', aggregationType: 'count' }),
    consumable: true,
    absentValue: '0',
    serviceTypes: video,
  },
  {
    ...limit('max_upload_size', 'Upload size', 'Size of an uploaded file.', { unit: 'GB', aggregationType: 'max' }),
    serviceTypes: video,
  },
  {
    ...limit(
      'max_resolution',
      'Resolution',
      'Shorter side of the largest picture: 1080 allows 1920 × 1080 and 1080 × 1920.',
      {
        unit: 'pixels',
        aggregationType: 'max',
      },
    ),
    serviceTypes: media,
  },
  {
    ...limit('transcoding_minutes', 'Transcoding minutes', 'Minutes of video that can be processed per period.', {
      unit: 'minutes',
      aggregationType: 'sum',
    }),
    ...perMonth,
    serviceTypes: video,
  },
  {
    ...limit('max_bitrate', 'Bit rate', 'Bit rate of the encoder.', {
      unit: 'kbit/s',
      aggregationType: 'max',
    }),
    serviceTypes: broadcasts,
  },
  {
    ...limit('stream_minutes', 'Stream minutes', 'Minutes that all streams together can last per period.', {
      unit: 'minutes',
      aggregationType: 'sum',
    }),
    ...perMonth,
    serviceTypes: broadcasts,
  },
  {
    ...limit('dvr_minutes', 'Rewind', 'How far viewers can go back in a running stream.', {
      unit: 'minutes',
      aggregationType: 'max',
    }),
    serviceTypes: broadcasts,
  },
  {
    ...limit('max_outputs', 'Outputs', 'Platforms to which a room can stream.', {
      unit: 'outputs',
      aggregationType: 'count',
    }),
    consumable: true,
    absentValue: '0',
    serviceTypes: ['simulcast'],
  },
  { ...flag('low_latency', 'Low latency', 'Viewers see a stream within about two seconds.'), serviceTypes: broadcasts },
  {
    ...flag('adaptive_bitrate', 'Adaptive bit rate', 'Streams are available in several resolutions.'),
    serviceTypes: broadcasts,
  },
  { ...flag('download', 'Download', 'Viewers can download the videos.'), serviceTypes: video },
  { ...flag('guest_access', 'Guest access', 'Rooms can be public and can admit guests.'), serviceTypes },
  { ...flag('allow_create_account', 'Create accounts', "The customer's own users can create accounts."), serviceTypes },
  { ...flag('allow_delete_account', 'Delete accounts', "The customer's own users can delete accounts."), serviceTypes },
] as const satisfies readonly FeatureDefinition[];

export type FeatureCode = (typeof features)[number]['code'];

const definitions: readonly FeatureDefinition[] = features;

const featuresByCode: ReadonlyMap<string, FeatureDefinition> = new Map(
  definitions.map((feature) => [feature.code, feature]),
);

/** The features of the service type. Their `absentValue` is the one for this type. */
export function featuresOf(serviceType: ServiceType): FeatureDefinition[] {
  return definitions
    .filter(({ serviceTypes: types }) => types.includes(serviceType))
    .map((feature) => ({ ...feature, absentValue: feature.absentValues?.[serviceType] ?? feature.absentValue }));
}

export function findFeature(code: string): FeatureDefinition | null {
  return featuresByCode.get(code) ?? null;
}

/** Whether the usage of the feature adds up, as for rooms, recordings and minutes, and is not a peak. */
export function isCumulative({ aggregationType }: Pick<FeatureDefinition, 'aggregationType'>): boolean {
  return aggregationType === 'count' || aggregationType === 'sum';
}

/** The limits on participants in a room of the type: how many at the same time, and their minutes. */
export function audienceTags(serviceType: ServiceType) {
  return serviceType === 'meet'
    ? ({ atOnce: 'max_participants', minutes: 'participant_minutes' } as const)
    : ({ atOnce: 'max_viewers', minutes: 'viewer_minutes' } as const);
}

/** The features for participant minutes: a subscription has the one of its service type. */
export const minuteTags: readonly string[] = ['participant_minutes', 'viewer_minutes'];

/**
 * Reselling does not reserve a part of these limits. They hold for a single room, or count minutes, which are charged to
 * all subscriptions above when they are used.
 */
const unreservedLimits: readonly string[] = [
  'max_participants',
  'max_viewers',
  'max_duration',
  'max_upload_size',
  'max_resolution',
  'max_bitrate',
  'dvr_minutes',
  'record_expiration',
  'stream_minutes',
  ...minuteTags,
];

/** Limits that the rooms of a subscription share with resold subscriptions: reselling a part of them reserves it. */
export const sharedLimits: readonly string[] = features
  .filter(({ code, valueType }) => valueType === 'limit' && !unreservedLimits.includes(code))
  .map(({ code }) => code);
