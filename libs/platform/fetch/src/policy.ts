import { isIP } from 'node:net';
import { isInNetwork, isLoopback, isPublic, mayBeNamed } from './addresses.ts';
import { FetchRefusedError } from './errors.ts';

/**
 * Opens an address that would be refused. `port` null: the ports of the web. `host`: a name, or `*.name` for all names
 * below it. `network`: in CIDR notation. A rule with a port alone opens it on public addresses.
 */
export type AllowRule =
  | { readonly host: string; readonly port: number | null }
  | { readonly network: string; readonly port: number | null }
  | { readonly port: number };

const WEB_PORTS: ReadonlySet<number> = new Set([80, 443, 8080, 8443]);
/** Of DNS. What is longer could not be resolved, and is not repeated in a message. */
const MAX_HOST = 255;
const DEFAULT_PORT: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

export interface Policy {
  readonly allow: readonly AllowRule[];
  /** Loopback addresses are permitted, on any port. For tests. */
  readonly loopback: boolean;
}

/** A host as a URL names it. */
export interface Target {
  readonly url: URL;
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** @throws FetchRefusedError for a URL that is none, or not of the web */
export function targetOf(address: string, base?: URL): Target {
  const url = URL.parse(address, base?.href);
  const port = url === null ? undefined : url.port === '' ? DEFAULT_PORT[url.protocol] : Number(url.port);
  if (
    url === null ||
    port === undefined ||
    !(url.protocol in DEFAULT_PORT) ||
    url.hostname === '' ||
    url.hostname.length > MAX_HOST
  ) {
    throw new FetchRefusedError('Only http and https addresses are fetched. Send the address of a web page or file.');
  }
  return { url, host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port };
}

/** @throws FetchRefusedError unless the policy permits every address */
export function admit({ host, port, url }: Target, addresses: readonly string[], policy: Policy): void {
  if (addresses.length > 0 && addresses.every((address) => isPermitted(host, address, port, policy))) return;
  const isPortRefused = addresses.every(isPublic);
  throw new FetchRefusedError(
    isPortRefused
      ? `Port ${port} of ${host} is not fetched: only ports 80, 443, 8080 and 8443 are. The operator can open it with MNEME_FETCH_ALLOW.`
      : `${url.host} is not fetched: it is a private, local or reserved address, or a name of one. The operator can open it with MNEME_FETCH_ALLOW.`,
  );
}

function isPermitted(host: string, address: string, port: number, { allow, loopback }: Policy): boolean {
  if (loopback && isLoopback(address)) return true;
  if (isPublic(address) && (WEB_PORTS.has(port) || allow.some((rule) => isPortRule(rule) && rule.port === port))) {
    return true;
  }
  return allow.some((rule) => {
    if (isPortRule(rule) || !(rule.port === null ? WEB_PORTS.has(port) : rule.port === port)) return false;
    return 'network' in rule ? isInNetwork(rule.network, address) : isNamed(rule.host, host) && mayBeNamed(address);
  });
}

const isPortRule = (rule: AllowRule): rule is { readonly port: number } => !('host' in rule || 'network' in rule);

function isNamed(pattern: string, host: string): boolean {
  if (isIP(host) > 0) return false;
  const name = host.replace(/\.$/, '').toLowerCase();
  return pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern;
}

/** Returns the rule that opens the host and port of an address of the operator. */
export function allowRuleFor(url: URL): AllowRule {
  const { host, port } = targetOf(url.href);
  const version = isIP(host);
  return version === 0 ? { host, port } : { network: `${host}/${version === 4 ? 32 : 128}`, port };
}
