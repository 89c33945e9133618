import ipaddr from 'ipaddr.js';

/**
 * The address that is counted: an IPv4 address, also when mapped to IPv6, or the /64 network of an IPv6 address,
 * since one client usually has all of it.
 */
export function addressGroup(address: string | null): string {
  if (address === null || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
