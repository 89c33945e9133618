import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A meeting server whose responses have 300,000 elements within the size limit. */
export async function serveHostileMeetings(): Promise<void> {
  const elements = '<a>1</a>'.repeat(300_000);
  const body = Buffer.from(
    `<response><returncode>SUCCESS</returncode><running>true</running><attendees>${elements}</attendees></response>`,
  );
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/xml', 'content-length': body.length });
    response.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  console.log(`The hostile meeting server is ready at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  process.once('SIGTERM', () => process.exit());
}
