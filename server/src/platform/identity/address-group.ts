import ipaddr from 'ipaddr.js';

/**
 * What counts as one address: an IPv4 address, also one that is written as IPv6, or the network of 64 bits that
 * whoever has one IPv6 address has to itself.
 */
export function addressGroup(address: string | null): string {
  if (address === null || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
