import { isIP } from 'node:net';
import type { AllowRule } from '#platform/fetch';

const FORM = 'must be a list like wiki.corp,*.lan:3000,10.2.0.0/16,[fd12::/16]:8081,:8081';
/** `[address or network]:port`, with brackets only where the address is of IPv6, or the name of a host. */
const ENTRY = /^(?:\[(?<v6>[^\]]+)\]|(?<bare>[^[\]:]*))(?::(?<port>\d{1,5}))?$/;
const NAME = /^(\*\.)?[^*\s/?#@:]+$/;

/** Reads hosts, networks and ports, separated by commas. */
export function fetchAllow(text: string): readonly AllowRule[] {
  const entries = text.split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '').map(ruleOf);
}

function ruleOf(entry: string): AllowRule {
  const bareNetwork = networkOf(entry);
  if (bareNetwork !== null) return { network: bareNetwork, port: null };
  const { v6, bare = '', port: digits } = ENTRY.exec(entry)?.groups ?? {};
  const port = digits === undefined ? null : Number(digits);
  if (port !== null && (port < 1 || port > 65_535)) throw new Error(FORM);
  if (v6 === undefined && bare === '' && port !== null) return { port };
  const network = networkOf(v6 ?? bare);
  if (network !== null) return { network, port };
  const host = v6 === undefined ? nameOf(bare) : null;
  if (host === null) throw new Error(FORM);
  return { host, port };
}

/** Returns an address as the network of one address. Null: neither an address nor a network. */
function networkOf(text: string): string | null {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  const length = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? length : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (version === 0 || rest.length > 0 || !(prefix <= length)) return null;
  return `${address}/${prefix}`;
}

/** As a URL has it: in lower case, with other scripts in Punycode. */
function nameOf(text: string): string | null {
  if (!NAME.test(text)) return null;
  const isPattern = text.startsWith('*.');
  const hostname = URL.parse(`http://${isPattern ? text.slice(2) : text}`)?.hostname.replace(/\.$/, '') ?? '';
  if (hostname === '' || isIP(hostname) > 0) return null;
  return isPattern ? `*.${hostname}` : hostname;
}
