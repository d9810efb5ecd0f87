import ipaddr from 'ipaddr.js';
import { isLoopbackHost } from '#platform/kernel';
import { entriesOf } from './readers.ts';

/** Reads the address of a provider. Only one on this machine may do without encryption. */
export function issuer(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new Error('must be an address like https://id.example.com, as the provider states its issuer');
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw new Error('must begin with https://; http:// is for loopback addresses only');
  }
  return text;
}

const DOMAIN = /^[^\s@=,]+\.[^\s@=,.]+$/;

/** Reads domains with their organizations, separated by commas. */
export function domains(text: string): readonly (readonly [string, string])[] {
  const pairs = entriesOf(text).map((entry) => {
    const [domain = '', organization = '', ...rest] = entry.split('=').map((part) => part.trim());
    if (!DOMAIN.test(domain) || organization === '' || rest.length > 0) {
      throw new Error('must be a list like example.com=<id of an organization>,example.org=<id>');
    }
    return [domain.toLowerCase(), organization] as const;
  });
  const twice = pairs.find(([domain], index) => pairs.findIndex(([other]) => other === domain) !== index);
  if (twice !== undefined) throw new Error(`names ${twice[0]} twice`);
  return pairs;
}

/** Reads addresses and networks, separated by commas. */
export function networks(text: string): readonly string[] {
  const entries = entriesOf(text);
  const wrong = entries.find((entry) => !isNetwork(entry));
  if (wrong !== undefined) throw new Error(`must be a list like 10.0.0.5,10.2.0.0/16,::1; "${wrong}" is none of them`);
  return entries;
}

/** Four parts, as nobody writes an address of IPv4 otherwise in earnest. */
const isAddress = (text: string): boolean => ipaddr.IPv6.isValid(text) || ipaddr.IPv4.isValidFourPartDecimal(text);

function isNetwork(entry: string): boolean {
  return isAddress(entry) || (isAddress(entry.split('/')[0] ?? '') && ipaddr.isValidCIDR(entry));
}
