import { type AdapterParts, bigbluebuttonCapabilities, createBigBlueButton } from '../bigbluebutton/adapter.ts';
import type { Capabilities, MeetingProvider } from '../meeting-provider.ts';
import { ProviderFailure } from '../provider-failure.ts';

export const scaleliteCapabilities: Capabilities = {
  ...bigbluebuttonCapabilities,
  hooks: false,
  sendChatMessage: false,
  textTracks: false,
  redirectFalse: false,
  recordingPagination: false,
  sha384: false,
  adminApi: true,
};

/** A Scalelite load balancer: the same API with gaps, and its own words for "no server is there now". */
export function createScalelite(parts: Omit<AdapterParts, 'capabilities'>): MeetingProvider {
  const adapter = createBigBlueButton({ ...parts, capabilities: scaleliteCapabilities });
  return {
    ...adapter,
    open: (plan) => withoutServer(parts.providerId, () => adapter.open(plan)),
    state: (meetingId) => withoutServer(parts.providerId, () => adapter.state(meetingId)),
    states: () => withoutServer(parts.providerId, () => adapter.states()),
  };
}

const outageKeys = new Set(['serverUnavailable', 'internalError']);

/** That no server behind it is there is an outage, so that another provider is tried. */
async function withoutServer<Answer>(providerId: string, call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ProviderFailure && outageKeys.has(error.messageKey ?? '')) {
      throw new ProviderFailure(
        'unreachable',
        providerId,
        'The load balancer has no meeting server at the moment.',
        error.messageKey,
      );
    }
    throw error;
  }
}
