import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses in public ranges that are not public. */
const EXCEPTIONS = networks(
  // Metadata and DNS of virtual machines on Azure.
  '168.63.129.16/32',
  // Documentation (RFC 9637).
  '3fff::/20',
);
/** All global unicast addresses of IPv6 are in it; what translates to IPv4 or is local is not. */
const GLOBAL_V6 = networks('2000::/3');
/** What no name may resolve to, even if the operator has opened the name: metadata services, and what is no host. */
const NEVER_BY_NAME = networks(
  ...['169.254.0.0/16', '168.63.129.16/32', '100.100.100.200/32', '192.0.0.192/32', '0.0.0.0/8', '224.0.0.0/3'],
  ...['::/128', 'fe80::/10', 'fd00:ec2::254/128', 'fd20:ce::254/128', 'ff00::/8', '::ffff:0:0/96'],
);
const LOOPBACK = networks('127.0.0.0/8', '::1/128');
/** Interface identifiers of ISATAP (RFC 5214) end with an IPv4 address. */
const ISATAP = new Set([0x0000, 0x0200]);

type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Returns whether the address is one of a host on the public internet. False for a text that is no address. */
export function isPublic(address: string): boolean {
  const parsed = parse(address);
  if (parsed === null || parsed.range() !== 'unicast' || isIn(EXCEPTIONS, parsed)) return false;
  return parsed instanceof ipaddr.IPv4 || (isIn(GLOBAL_V6, parsed) && !isIsatap(parsed));
}

export const isLoopback = (address: string): boolean => matches(LOOPBACK, address);

/** Whether a name that the operator has opened may resolve to the address. */
export const mayBeNamed = (address: string): boolean => isIP(address) > 0 && !matches(NEVER_BY_NAME, address);

/** @param network such as `10.0.0.0/8` */
export const isInNetwork = (network: string, address: string): boolean => matches(networks(network), address);

function matches(list: readonly Network[], address: string): boolean {
  const parsed = parse(address);
  return parsed !== null && isIn(list, parsed);
}

/** Only the common notations: `isIP` refuses octal, hexadecimal and shortened forms of IPv4. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  return isIP(address) > 0 && ipaddr.isValid(address) ? ipaddr.parse(address) : null;
}

function isIn(list: readonly Network[], address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return list.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return ISATAP.has(parts[4] as number) && parts[5] === 0x5efe;
}

function networks(...list: readonly string[]): readonly Network[] {
  return list.map((network) => ipaddr.parseCIDR(network));
}
