import ipaddr from 'ipaddr.js';

/**
 * What counts as one address when attempts are counted: an IPv4 address, also one that is written as IPv6, or the
 * network of 64 bits that an IPv6 subscriber has to itself.
 */
export function addressGroup(address: string | null): string {
  if (address === null || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${withoutZone(parsed.toString())}/64`).toString()}/64`;
}

function withoutZone(address: string): string {
  return address.split('%', 1)[0] ?? address;
}
