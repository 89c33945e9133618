import { type ServiceType, serviceTypes } from '../providers/provider-types.ts';

/** What packages can sell. */
export interface FeatureDefinition {
  readonly code: string;
  readonly name: string;
  readonly description: string;
  readonly valueType: 'limit' | 'flag' | 'text';
  /** What a limit counts; null for flags and texts. */
  readonly unit: string | null;
  /** Used up by what is created or spent, and kept as usage of the subscription. */
  readonly consumable: boolean;
  /** How many uses become one figure: added up, counted, or the highest at once. */
  readonly aggregationType: 'sum' | 'count' | 'max' | null;
  readonly serviceTypes: readonly ServiceType[];
  /** Usage begins again after so many intervals; 0 never. */
  readonly resettablePeriod: number;
  readonly resettableInterval: 'day' | 'week' | 'month' | 'year';
  /** The value where a subscription does not have the feature. */
  readonly absentValue: string | null;
  /** The same for a service type in which it differs. */
  readonly absentValues?: Readonly<Partial<Record<ServiceType, string>>>;
}

export const unlimited = 'unlimited';

const meet = ['meet'] as const;
const video = ['video'] as const;
const broadcasts = ['live', 'simulcast'] as const;
const media = [...video, ...broadcasts] as const;
const recorded = [...meet, ...broadcasts] as const;

function limit<const Code extends string>(
  code: Code,
  name: string,
  description: string,
  { unit, aggregationType }: { readonly unit: string; readonly aggregationType: 'sum' | 'count' | 'max' | null },
) {
  return {
    code,
    name,
    description,
    valueType: 'limit',
    unit,
    consumable: false,
    aggregationType,
    serviceTypes: meet,
    resettablePeriod: 0,
    resettableInterval: 'month',
    absentValue: unlimited,
  } as const;
}

function flag<const Code extends string>(code: Code, name: string, description: string) {
  return {
    code,
    name,
    description,
    valueType: 'flag',
    unit: null,
    consumable: false,
    aggregationType: null,
    serviceTypes: meet,
    resettablePeriod: 0,
    resettableInterval: 'month',
    absentValue: 'false',
  } as const;
}

/** What is consumed and begins anew each month; without the feature there is none. */
const perMonth = {
  consumable: true,
  resettablePeriod: 1,
  resettableInterval: 'month',
  absentValue: '0',
} as const;

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
    serviceTypes: recorded,
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
  { ...flag('recording', 'Recording', 'Meetings can be recorded.'), serviceTypes: recorded },
  {
    ...limit('max_recordings', 'Recordings', 'Recordings that are kept.', {
      unit: 'recordings',
      aggregationType: 'count',
    }),
    serviceTypes: recorded,
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
    serviceTypes: recorded,
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
    ...limit('max_resolution', 'Resolution', 'Height of the picture in the highest resolution.', {
      unit: 'pixels',
      aggregationType: 'max',
    }),
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

/** What packages of the service type can sell, with the values that hold where a subscription does not have them. */
export function featuresOf(serviceType: ServiceType): FeatureDefinition[] {
  return definitions
    .filter(({ serviceTypes: types }) => types.includes(serviceType))
    .map((feature) => ({ ...feature, absentValue: feature.absentValues?.[serviceType] ?? feature.absentValue }));
}

export function findFeature(code: string): FeatureDefinition | null {
  return featuresByCode.get(code) ?? null;
}

export type NormalizedFeatureValue =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly message: string };

/**
 * The text that is stored for what a caller wrote. A limit is a whole number or `unlimited` (also `true`, -1), a flag
 * `true` or `false` (also `Y`, `N`, 1, 0), a text at most 255 characters.
 */
export function normalizeFeatureValue(
  feature: Pick<FeatureDefinition, 'valueType' | 'code'>,
  input: unknown,
): NormalizedFeatureValue {
  const value = normalizers[feature.valueType](typeof input === 'string' ? input.trim() : input);
  if (value !== null) return { ok: true, value };
  return {
    ok: false,
    message: `The value of ${feature.code} must be ${expected[feature.valueType]}.`,
  };
}

/** Whether what is used of it adds up, as rooms, recordings and minutes do; the most at once does not. */
export function isCountedUp({ aggregationType }: Pick<FeatureDefinition, 'aggregationType'>): boolean {
  return aggregationType === 'count' || aggregationType === 'sum';
}

/** The number that a stored limit allows; null when it is unlimited. What is no limit allows nothing. */
export function limitOf(value: string): number | null {
  if (value === unlimited) return null;
  return /^\d{1,16}$/.test(value) ? Number(value) : 0;
}

const expected = {
  limit: `a whole number of at least 0 or "${unlimited}"`,
  flag: 'true or false',
  text: 'a text of 1 to 255 characters',
};

const normalizers: Record<FeatureDefinition['valueType'], (input: unknown) => string | null> = {
  limit: normalizeLimit,
  flag: normalizeFlag,
  text: normalizeText,
};

function normalizeLimit(input: unknown): string | null {
  if (input === true || input === -1) return unlimited;
  if (typeof input === 'number') {
    return Number.isSafeInteger(input) && input >= 0 ? String(input) : null;
  }
  if (typeof input !== 'string') return null;
  const text = input.toLowerCase();
  if (text === unlimited || text === 'true' || text === '-1') return unlimited;
  return /^\d{1,255}$/.test(text) ? normalizeLimit(Number(text)) : null;
}

function normalizeFlag(input: unknown): string | null {
  const text = typeof input === 'string' ? input.toLowerCase() : input;
  if (text === true || text === 1 || text === 'true' || text === '1' || text === 'y') return 'true';
  if (text === false || text === 0 || text === 'false' || text === '0' || text === 'n') {
    return 'false';
  }
  return null;
}

function normalizeText(input: unknown): string | null {
  if (typeof input === 'number' || typeof input === 'boolean') return String(input);
  return typeof input === 'string' && input.length > 0 && input.length <= 255 ? input : null;
}

/** The limits for those who take part in a room of the type: how many at once, and their minutes. */
export function audienceTags(serviceType: ServiceType) {
  return serviceType === 'meet'
    ? ({ atOnce: 'max_participants', minutes: 'participant_minutes' } as const)
    : ({ atOnce: 'max_viewers', minutes: 'viewer_minutes' } as const);
}

/** The minutes that all who take part use up: a subscription has those of its service type. */
export const minuteTags: readonly string[] = ['participant_minutes', 'viewer_minutes'];

/** Limits of each room by itself, and what is charged to a subscription and to every one above it. */
const notDivided: readonly string[] = [
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

/** The limits that everything in a subscription shares: what is handed down of them is set aside. */
export const sharedLimits: readonly string[] = features
  .filter(({ code, valueType }) => valueType === 'limit' && !notDivided.includes(code))
  .map(({ code }) => code);
