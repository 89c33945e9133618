import { bigbluebuttonCapabilities, createBigBlueButton } from '../bigbluebutton/adapter.ts';
import { callApi, type BigBlueButtonConnection } from '../bigbluebutton/request/call-api.ts';
import { encodeParameters, type Parameters } from '../bigbluebutton/request/signed-request.ts';
import type { Element } from '../bigbluebutton/request/xml.ts';
import type { Capabilities, FullMeetingProvider } from '../meet.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { findProblem } from './admin-api.ts';

export const scaleliteCapabilities: Capabilities = {
  ...bigbluebuttonCapabilities,
  hooks: false,
  sendChatMessage: false,
  textTracks: false,
  redirectFalse: false,
  recordingPagination: false,
  sha384: false,
  adminApi: true,
  recordingSizes: false,
  canHideList: true,
};

/** In bytes, of all encoded parameters together. */
export const maximumCreateLength = 6000;

/** A Scalelite load balancer: the same API with gaps, and its own errors if no server is available. */
export function createScalelite(connection: BigBlueButtonConnection): FullMeetingProvider {
  const { providerId } = connection;
  const adapter = createBigBlueButton(connection, {
    type: 'scalelite',
    capabilities: scaleliteCapabilities,
    callCreate,
  });
  return {
    ...adapter,
    open: (plan) => asOutage(providerId, adapter.open(plan)),
    state: (meetingId) => asOutage(providerId, adapter.state(meetingId)),
    states: () => emptyIfDisabled(asOutage(providerId, adapter.states())),
    isRunning: (meetingId) => asOutage(providerId, adapter.isRunning(meetingId)),
    end: (meetingId) => asOutage(providerId, adapter.end(meetingId)),
    recordings: (filter) => asOutage(providerId, adapter.recordings(filter)),
    findRecordings: (ids) => asOutage(providerId, adapter.findRecordings(ids)),
    publishRecording: (id, isPublished) => asOutage(providerId, adapter.publishRecording(id, isPublished)),
    deleteRecording: (id) => asOutage(providerId, adapter.deleteRecording(id)),
    readProblem: () => findProblem(connection),
    check: async () => {
      const finding = await adapter.check();
      return finding.problem === null ? { ...finding, problem: await findProblem(connection) } : finding;
    },
    updateRecording: (id, metadata) => asOutage(providerId, adapter.updateRecording(id, metadata)),
  };
}

/**
 * It forwards the body of a POST as a presentation, so the parameters must fit into the URL. Requests that its web
 * server would refuse are not sent.
 */
async function callCreate(connection: BigBlueButtonConnection, call: string, parameters: Parameters): Promise<Element> {
  const excess = encodeParameters(parameters).length - maximumCreateLength;
  if (excess <= 0) return await callApi(connection, call, parameters);
  const message = `The texts of the room are ${excess} bytes too long for Scalelite. Shorten them in the settings of the room.`;
  throw new ProviderFailure('too-long', connection.providerId, message);
}

const outageKeys = new Set(['serverUnavailable', 'serverTagUnavailable', 'internalError']);

/** Reports the lack of an available server as an outage, so that another provider is tried. */
async function asOutage<Answer>(providerId: string, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ProviderFailure) || !outageKeys.has(error.messageKey ?? '')) throw error;
    const { messageKey, message } = error;
    // `create` returns `internalError` for this case and for others.
    const isNoServer = messageKey === 'serverUnavailable' || /\bavailable servers\b/i.test(message);
    throw new ProviderFailure(
      'unreachable',
      providerId,
      isNoServer ? noServerMessage : `Scalelite failed: ${message}`,
      {
        messageKey: isNoServer ? 'serverUnavailable' : messageKey,
      },
    );
  }
}

const noServerMessage =
  'Scalelite has no meeting server that is enabled and online. Check them with `./bin/rake status`.';

/** Operators can disable the list of meetings; then it is empty or the call does not exist. */
async function emptyIfDisabled<Item>(list: Promise<Item[]>): Promise<Item[]> {
  try {
    return await list;
  } catch (error) {
    if (error instanceof ProviderFailure && error.messageKey === 'unsupportedRequest') return [];
    throw error;
  }
}
