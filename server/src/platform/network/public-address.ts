import ipaddr from 'ipaddr.js';

/** Whether the address belongs to a host of the public internet. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return isPublicIpv4(address);
  const embedded = embeddedIpv4(address);
  if (embedded) return isPublicIpv4(embedded);
  // All other global addresses are in 2000::/3.
  return address.range() === 'unicast' && address.match(globalUnicast, 3);
}

export function isLoopbackAddress(text: string): boolean {
  return ipaddr.isValid(text) && ipaddr.process(text).range() === 'loopback';
}

/** In Azure, the host of a virtual machine serves metadata at this address. */
const azureHost = '168.63.129.16';

function isPublicIpv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && address.toString() !== azureHost;
}

const globalUnicast = ipaddr.IPv6.parse('2000::');
const wellKnownNat64 = ipaddr.IPv6.parse('64:ff9b::');

/** The IPv4 address that an IPv4-mapped, 6to4 or NAT64 address contains and leads to; null for other addresses. */
function embeddedIpv4(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  const bytes = address.toByteArray();
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  if (address.range() === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6));
  return address.match(wellKnownNat64, 96) ? new ipaddr.IPv4(bytes.slice(12)) : null;
}
