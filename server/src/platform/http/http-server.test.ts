import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createHttpServer } from './http-server.ts';

test('nobody keeps a connection with a head or a body that never ends', async () => {
  const app = createHttpServer({
    logger: pino({ level: 'silent' }),
    requireHttps: false,
    trustProxy: false,
    tls: null,
  });
  const { headersTimeout, requestTimeout } = app.server;
  await app.close();
  expect([headersTimeout, requestTimeout]).toEqual([60_000, 120_000]);
});
