import type { CircuitBreaker } from '../../circuit-breaker.ts';
import { ProviderFailure } from '../../provider-failure.ts';
import { type Element, readAnswer } from './answer.ts';
import { type Parameters, signedForm, signedUrl, type Signer } from './signed-request.ts';
import type { ProviderRequest, Transport } from '../../http/transport.ts';
import type { ItemReader } from './xml.ts';

/** How an adapter reaches its server. */
export interface BigBlueButtonConnection {
  readonly providerId: string;
  readonly signer: Signer;
  readonly transport: Transport;
  readonly breaker: CircuitBreaker;
  /** The bit rate of recordings in kbit/s, to estimate sizes; null if unknown. */
  readonly recordingKbps: number | null;
  /** The secret for a load balancer's API about its servers; null if unknown. */
  readonly adminSecret: string | null;
}

/** The largest answer about one meeting. */
const maximumMeetingBytes = 2 * 1024 * 1024;

/** Longer addresses are rejected by web servers. */
const maxUrlLength = 6000;

/**
 * Sends a request, and repeats it once if the connection failed. Only for idempotent calls. A time-out is not repeated,
 * since the caller has waited long enough.
 */
export async function callApi(
  connection: BigBlueButtonConnection,
  call: string,
  parameters: Parameters,
): Promise<Element> {
  return await send(connection, {
    url: signedUrl(connection.signer, call, parameters),
    form: null,
    maximumBytes: maximumMeetingBytes,
  });
}

/** Like `callApi`, for a call that returns a list. Its items are read one by one and are not in the answer. */
export async function callForList(
  connection: BigBlueButtonConnection,
  call: string,
  parameters: Parameters,
  items: ItemReader,
): Promise<Element> {
  const maximumListBytes = call === 'getMeetings' ? maximumBytesOfMeetings : undefined;
  const url = signedUrl(connection.signer, call, parameters);
  return await send(
    connection,
    { url, form: null, ...(maximumListBytes && { maximumBytes: maximumListBytes }) },
    items,
  );
}

/** About 2,000 meetings with 50 people in each. */
const maximumBytesOfMeetings = 32 * 1024 * 1024;

/** Like `callApi`, but uses POST if the parameters are too long for a URL. */
export async function callWithLongParameters(
  connection: BigBlueButtonConnection,
  call: string,
  parameters: Parameters,
): Promise<Element> {
  const url = signedUrl(connection.signer, call, parameters);
  return await send(
    connection,
    url.length > maxUrlLength ? signedForm(connection.signer, call, parameters) : { url, form: null },
  );
}

async function send(
  connection: BigBlueButtonConnection,
  request: ProviderRequest,
  items?: ItemReader,
): Promise<Element> {
  return await connection.breaker.run(async () => {
    try {
      return await sendOnce(connection, request, items);
    } catch (error) {
      if (error instanceof ProviderFailure && error.kind === 'unreachable')
        return await sendOnce(connection, request, items);
      throw error;
    }
  });
}

/** One attempt, without the circuit breaker. */
export async function sendOnce(
  { providerId, signer, transport }: BigBlueButtonConnection,
  request: ProviderRequest,
  items?: ItemReader,
): Promise<Element> {
  return await readAnswer({ providerId, secret: signer.secret }, await transport.send(providerId, request), items);
}
