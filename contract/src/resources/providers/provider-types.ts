import { text } from '../../conventions/field.ts';

export const serviceTypes = ['video', 'live', 'meet', 'simulcast'] as const;
export type ServiceType = (typeof serviceTypes)[number];

/** A room has the service type of its subscription. */
export const roomTypes = serviceTypes;
export type RoomType = ServiceType;

export const providerTypeNames = ['bigbluebutton', 'scalelite', 'foyer-media'] as const;
export type ProviderTypeName = (typeof providerTypeNames)[number];

export interface ProviderProperty {
  readonly name: string;
  readonly label: string;
  readonly required: boolean;
  /** Encrypted at rest and printed as the mask. */
  readonly secret: boolean;
  readonly kind: 'url' | 'text' | 'choice' | 'certificate' | 'number';
  readonly choices?: readonly string[];
  readonly description: string;
  /** Accepted and stored for old records, but not used. */
  readonly deprecated?: boolean;
}

export interface ProviderType {
  readonly name: string;
  /** Other names that are accepted for it when a provider is added. */
  readonly aliases?: readonly string[];
  readonly displayName: string;
  /** The service types that providers of this type can have; each provider has one. */
  readonly serviceTypes: readonly ServiceType[];
  readonly properties: readonly ProviderProperty[];
  /** Settings to make on the server itself, because its API has no call for them. */
  readonly setupNote: string;
}

/** Secrets are printed as this mask; writing it back keeps the stored value. */
export const secretMask = '********';

const hostUrl: ProviderProperty = {
  name: 'host_url',
  label: 'Address',
  required: true,
  secret: false,
  kind: 'url',
  description:
    'The https address of the server; `/bigbluebutton/api` can be left out. http is only allowed for loopback addresses.',
};
const secret: ProviderProperty = {
  name: 'secret',
  label: 'Shared secret',
  required: true,
  secret: true,
  kind: 'text',
  description: 'The shared secret of the server’s API.',
};

const caCertificate: ProviderProperty = {
  name: 'ca_certificate',
  label: 'Private certificate authority',
  required: false,
  secret: false,
  kind: 'certificate',
  description:
    'CA certificates in PEM, for a server whose certificate is not signed by a public authority. Then only these are trusted.',
};

const recordingKbps: ProviderProperty = {
  name: 'recording_kbps',
  label: 'Bit rate of recordings (kbit/s)',
  required: false,
  secret: false,
  kind: 'number',
  description:
    'If the server reports no size for a recording, the size is estimated from this and the length, so that it counts against `max_storage`. A whole number from 1 to 100,000.',
};

function deprecated(name: string, isSecret = false): ProviderProperty {
  return {
    name,
    label: name,
    required: false,
    secret: isSecret,
    kind: 'text',
    deprecated: true,
    description: 'Not used any more; kept for old records.',
  };
}

/** An entry link is for one person, but without this setting a server lets each user join three times. */
const oneSessionPerUser =
  'Set `maxUserConcurrentAccesses=1` in `/etc/bigbluebutton/bbb-web.properties`, so that each entry link admits one person. Every session that the server reports counts as a participant.';

export const providerTypes: readonly (ProviderType & { readonly name: ProviderTypeName })[] = [
  {
    name: 'bigbluebutton',
    aliases: ['bbb'],
    displayName: 'BigBlueButton',
    serviceTypes: ['meet'],
    setupNote: oneSessionPerUser,
    properties: [
      hostUrl,
      secret,
      {
        name: 'checksum_algorithm',
        label: 'Checksum algorithm',
        required: false,
        secret: false,
        kind: 'choice',
        choices: ['sha1', 'sha256', 'sha384', 'sha512'],
        description: 'How requests are signed; sha256 by default.',
      },
      caCertificate,
      recordingKbps,
      deprecated('host_ip'),
      deprecated('host_port'),
      deprecated('host_user'),
      deprecated('host_key', true),
    ],
  },
  {
    name: 'scalelite',
    displayName: 'Scalelite',
    serviceTypes: ['meet'],
    setupNote: `On each server behind it: ${oneSessionPerUser}`,
    properties: [
      hostUrl,
      secret,
      {
        name: 'checksum_algorithm',
        label: 'Checksum algorithm',
        required: false,
        secret: false,
        kind: 'choice',
        choices: ['sha1', 'sha256', 'sha512'],
        description: 'How requests are signed; sha256 by default.',
      },
      caCertificate,
      recordingKbps,
      {
        name: 'admin_secret',
        label: 'Secret of the admin API',
        required: false,
        secret: true,
        kind: 'text',
        description:
          'The LOADBALANCER_SECRET of Scalelite, which can differ from the secret of a tenant. With this secret, the health check tells whether any server behind Scalelite is online.',
      },
    ],
  },
  {
    name: 'foyer-media',
    displayName: 'Foyer media server',
    serviceTypes: ['video', 'live', 'simulcast'],
    setupNote:
      'Start it with `npm run media`. Browsers and encoders must reach its public address. One server can be added once for each service type.',
    properties: [
      {
        ...hostUrl,
        description:
          'The https address at which the platform reaches the API. http is only allowed for loopback addresses.',
      },
      { ...secret, description: 'The `FOYER_MEDIA_SECRET` of the media server.' },
      {
        name: 'public_url',
        label: 'Public address',
        required: false,
        secret: false,
        kind: 'url',
        description: 'The address at which browsers and encoders reach the server; by default the address of its API.',
      },
      caCertificate,
    ],
  },
];

/** Every name that is accepted for a provider type. */
export const acceptedTypeNames: readonly string[] = [
  ...providerTypeNames,
  ...providerTypes.flatMap(({ aliases = [] }) => aliases),
];

export const aliasSentence: string = providerTypes
  .flatMap(({ name, aliases = [] }) => aliases.map((alias) => `\`${alias}\` is an alias of \`${name}\`.`))
  .join(' ');

export function findProviderType(name: ProviderTypeName): ProviderType;
export function findProviderType(name: string): ProviderType | undefined;
export function findProviderType(name: string): ProviderType | undefined {
  return providerTypes.find((type) => type.name === name);
}

export const placementPattern = '^[a-z0-9][a-z0-9._-]*$';

/** The name of a pool, or a tag. */
export function placementName(description?: string, options: { freeText?: boolean } = {}) {
  return text(50, {
    pattern: placementPattern,
    ...options,
    ...(description === undefined ? {} : { description }),
  });
}
