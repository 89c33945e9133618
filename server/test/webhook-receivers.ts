import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { publishAll } from '../src/modules/events/index.ts';
import { deliverWebhooks } from '../src/modules/webhooks/index.ts';
import type { TestApi } from './api.ts';

export interface ReceivedRequest {
  readonly headers: Record<string, string>;
  readonly text: string;
  readonly body: {
    readonly type: string;
    readonly timestamp: string;
    readonly test?: true;
    readonly data: {
      readonly id: string;
      readonly uuid: string;
      readonly ulid: string;
      readonly name: string;
      readonly resource_id: string;
      readonly sequence: number;
    };
  };
}

export interface Receiver {
  readonly url: string;
  readonly received: ReceivedRequest[];
  /** Waits until this number of requests has arrived. */
  waitForRequests(count: number): Promise<ReceivedRequest[]>;
}

type Answer = (request: ReceivedRequest, response: ServerResponse, count: number) => void;

/** Starts a server on loopback that stores the received requests. */
export async function startReceiver(
  answer: Answer = (_request, response) => void response.writeHead(204).end(),
): Promise<Receiver> {
  const received: ReceivedRequest[] = [];
  const waiters = new Set<() => void>();
  const server = createServer((incoming, response) => {
    void read(incoming).then((request) => {
      received.push(request);
      answer(request, response, received.length);
      for (const wake of waiters) wake();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    async waitForRequests(count) {
      while (received.length < count)
        await new Promise<void>((resolve) => {
          const wake = () => (waiters.delete(wake), resolve());
          waiters.add(wake);
        });
      return received.slice(0, count);
    },
  };
}

async function read(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return {
    headers: incoming.headers as Record<string, string>,
    text,
    body: JSON.parse(text) as ReceivedRequest['body'],
  };
}

/** Runs the webhook tasks of the worker until the test ends. */
export function startDelivery({ app }: TestApi): void {
  const background = deliverWebhooks(app.jobDependencies);
  onTestFinished(() => background.stop());
}

export async function publish({ app }: TestApi): Promise<void> {
  await publishAll(app.jobDependencies);
}

export async function makeWebhook(api: TestApi, url: string, body: Record<string, unknown> = {}) {
  const { data } = await api.admin.createWebhook({ body: { url, events: ['room.*'], ...body } });
  return { ...data, params: { webhook_id: data.id }, secret: data.secret ?? '' };
}

/** Reads the deliveries, oldest first, until the condition holds. */
export async function waitForDeliveries(
  api: TestApi,
  params: { readonly webhook_id: string },
  condition: (deliveries: Awaited<ReturnType<typeof deliveriesOf>>) => boolean,
) {
  for (;;) {
    const deliveries = await deliveriesOf(api, params);
    if (condition(deliveries)) return deliveries;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function deliveriesOf(api: TestApi, params: { readonly webhook_id: string }) {
  return (await api.admin.listWebhookDeliveries({ params, query: { limit: 0 } })).data.toReversed();
}
