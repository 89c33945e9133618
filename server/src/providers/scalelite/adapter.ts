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

/** The limit in bytes for all encoded parameters together. */
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
    open: (plan) => reportOutage(providerId, adapter.open(plan)),
    state: (meetingId) => reportOutage(providerId, adapter.state(meetingId)),
    states: () => emptyIfDisabled(reportOutage(providerId, adapter.states())),
    isRunning: (meetingId) => reportOutage(providerId, adapter.isRunning(meetingId)),
    end: (meetingId) => reportOutage(providerId, adapter.end(meetingId)),
    recordings: (filter) => reportOutage(providerId, adapter.recordings(filter)),
    findRecordings: (ids) => reportOutage(providerId, adapter.findRecordings(ids)),
    publishRecording: (id, isPublished) => reportOutage(providerId, adapter.publishRecording(id, isPublished)),
    deleteRecording: (id) => reportOutage(providerId, adapter.deleteRecording(id)),
    readProblem: () => findProblem(connection),
    check: async () => {
      const result = await adapter.check();
      return result.problem === null ? { ...result, problem: await findProblem(connection) } : result;
    },
    updateRecording: (id, metadata) => reportOutage(providerId, adapter.updateRecording(id, metadata)),
  };
}

/**
 * Scalelite forwards the body of a POST as a presentation, so the parameters must fit into the URL. Requests that its
 * web server would refuse are not sent.
 */
async function callCreate(connection: BigBlueButtonConnection, call: string, parameters: Parameters): Promise<Element> {
  const excessBytes = encodeParameters(parameters).length - maximumCreateLength;
  if (excessBytes <= 0) return await callApi(connection, call, parameters);
  const message = `The texts of the room are ${excessBytes} bytes too long for Scalelite. Shorten them in the settings of the room.`;
  throw new ProviderFailure('too-long', connection.providerId, message);
}

const outageKeys = new Set(['serverUnavailable', 'serverTagUnavailable', 'internalError']);

/** Reports the lack of an available server as an outage, so that another provider is tried. */
async function reportOutage<Answer>(providerId: string, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ProviderFailure) || !outageKeys.has(error.messageKey ?? '')) throw error;
    const { messageKey, message } = error;
    // `create` returns `internalError` for this case and for others.
    const hasNoServer = messageKey === 'serverUnavailable' || /\bavailable servers\b/i.test(message);
    throw new ProviderFailure(
      'unreachable',
      providerId,
      hasNoServer ? noServerMessage : `Scalelite failed: ${message}`,
      {
        messageKey: hasNoServer ? 'serverUnavailable' : messageKey,
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
