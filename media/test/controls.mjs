// Runs in the process of a media server before its code, so that a test can advance its clock and answer its lookups.
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

/** @typedef {{ advanceMs?: number, hosts?: Record<string, string[]> }} Message */

const { now } = Date;
const { lookup } = dns;
let aheadMs = 0;
/** The addresses of hosts, one for each lookup. The last one remains. */
/** @type {Record<string, string[]>} */
let hosts = {};

Date.now = () => now() + aheadMs;

/** @type {(host: string, options: import('node:dns').LookupAllOptions) => Promise<unknown>} */
const answerLookup = async (host, options) => {
  const addresses = hosts[host];
  if (!addresses) return await lookup(host, options);
  const address = (addresses.length > 1 ? addresses.shift() : addresses[0]) ?? '';
  process.send?.({ lookup: host, address });
  return [{ address, family: address.includes(':') ? 6 : 4 }];
};
Object.assign(dns, { lookup: answerLookup });
syncBuiltinESMExports();

process.on('message', (/** @type {Message} */ message) => {
  aheadMs += message.advanceMs ?? 0;
  hosts = message.hosts ?? hosts;
  process.send?.({ isDone: true });
});
// The channel does not keep the process running.
process.channel?.unref();
