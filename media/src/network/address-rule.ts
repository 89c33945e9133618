import { lookup } from 'node:dns/promises';
import { BlockList, connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ConnectionFailure } from './connection-errors.ts';

const nonPublicRanges = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  nonPublicRanges.addSubnet(network, prefix, 'ipv4');

const publicRangesV6 = new BlockList();
publicRangesV6.addSubnet('2000::', 3, 'ipv6');
/** Special ranges of 2000::/3, and ranges whose addresses contain an IPv4 address. */
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  nonPublicRanges.addSubnet(network, prefix, 'ipv6');

export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !nonPublicRanges.check(address, 'ipv4');
  return isIP(address) === 6 && publicRangesV6.check(address, 'ipv6') && !nonPublicRanges.check(address, 'ipv6');
}

/** The server may not connect to the address. */
export class AddressRefused extends ConnectionFailure {
  constructor() {
    super('private-address', 'The address leads to a private network, which is not allowed.');
    this.name = 'AddressRefused';
  }
}

/**
 * Resolves and checks a host. Connect to the returned address, since the name may resolve to another one next time (DNS
 * rebinding).
 */
export async function resolveAllowed(host: string, arePrivateAddressesAllowed: boolean): Promise<string> {
  const name = host.replace(/^\[(.*)\]$/, '$1');
  const addresses = isIP(name) ? [name] : (await lookup(name, { all: true })).map(({ address }) => address);
  const [first] = addresses;
  if (first === undefined) throw new ConnectionFailure('host-unknown', 'The host has no address.');
  if (!arePrivateAddressesAllowed && !addresses.every(isPublicAddress)) throw new AddressRefused();
  return first;
}

export interface Target {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

const connectTimeoutMs = 10_000;

/** Connects to the checked address. The certificate of a TLS server must be for the host name. */
export async function connectAllowed(
  { host, port, isTls }: Target,
  arePrivateAddressesAllowed: boolean,
): Promise<Socket> {
  const address = await resolveAllowed(host, arePrivateAddressesAllowed);
  const name = host.replace(/^\[(.*)\]$/, '$1');
  const options = { host: address, port, noDelay: true };
  const socket = isTls ? connectTls({ ...options, ...(isIP(name) ? {} : { servername: name }) }) : connectTcp(options);
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => socket.destroy(new ConnectionFailure('no-response', 'The connection timed out.')),
      connectTimeoutMs,
    );
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      socket.removeListener('error', reject);
      resolve();
    });
    socket.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
  return socket;
}
