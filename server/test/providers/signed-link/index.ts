import { createHmac } from 'node:crypto';
import type { MeetingProvider, MeetingState, OpenMeeting } from '../../../src/providers/meet.ts';
import { ProviderFailure } from '../../../src/providers/provider-failure.ts';
import type { Properties, ProviderConnection, ProviderTypeDefinition } from '../../../src/providers/provider-type.ts';

/** A provider type for a service without an API. A link that is signed with the shared key opens the meeting. */
export const signedLink: ProviderTypeDefinition = {
  declaration: {
    name: 'signed-link',
    displayName: 'Signed link',
    serviceTypes: ['meet'],
    setupNote: 'Configure the same key on the service.',
    properties: [
      { ...textProperty('base_url', 'Address'), kind: 'url' },
      { ...textProperty('key', 'Key'), secret: true },
    ],
  },
  parsers: {
    base_url: (value) =>
      value.startsWith('https://')
        ? { ok: true, value: new URL(value).href }
        : { ok: false, message: 'The base_url property must begin with https://.' },
  },
  serverKey: (properties) => baseUrl(properties).host,
  meet: {
    capabilities: {
      hooks: false,
      sendChatMessage: false,
      textTracks: false,
      redirectFalse: false,
      recordingPagination: false,
      sha384: false,
      adminApi: false,
      recordingSizes: false,
      canHideList: false,
    },
    connect,
    joinTargets: (properties) => [baseUrl(properties).origin],
  },
};

function textProperty(name: string, label: string) {
  return { name, label, required: true, secret: false, kind: 'text', description: label } as const;
}

function baseUrl(properties: Properties): URL {
  return new URL(String(properties['base_url']));
}

function connect({ providerId, properties }: ProviderConnection): MeetingProvider {
  const { key } = properties;
  if (typeof key !== 'string') throw new ProviderFailure('misconfigured', providerId, 'The provider has no key.');
  const { capabilities } = signedLink.meet ?? {};
  if (!capabilities) throw new Error('The type serves no meetings.');
  return {
    type: 'signed-link',
    capabilities,
    open: ({ meetingId }) => Promise.resolve({ ...sessionOf(meetingId), wasOpen: false }),
    joinUrlFor({ meetingId }, { userId, fullName, role }) {
      const url = new URL(`join/${meetingId}`, baseUrl(properties));
      url.search = new URLSearchParams({ user: userId, name: fullName, role }).toString();
      url.searchParams.set('signature', sign(key, url));
      return url.href;
    },
    state: (meetingId) => Promise.resolve(stateOf(meetingId)),
    isRunning: () => Promise.resolve(true),
    end: () => Promise.resolve(),
    check: () =>
      Promise.resolve({
        reachable: true,
        apiVersion: null,
        secretAccepted: true,
        latencyMs: 0,
        dateMs: null,
        problem: null,
      }),
  };
}

export function sign(key: string, { pathname, search }: URL): string {
  return createHmac('sha256', key).update(`${pathname}${search}`).digest('hex');
}

/** The service has one permanent session per meeting. */
function sessionOf(meetingId: string): OpenMeeting {
  return { meetingId, internalId: meetingId, createdAtMs: Date.UTC(2026, 0, 1) };
}

function stateOf(meetingId: string): MeetingState {
  return {
    ...sessionOf(meetingId),
    exists: true,
    running: true,
    startedAtMs: null,
    endedAtMs: null,
    participantCount: 0,
    moderatorCount: 0,
    listenerCount: 0,
    voiceParticipantCount: 0,
    videoCount: 0,
    recording: false,
    attendees: [],
    metadata: {},
  };
}
