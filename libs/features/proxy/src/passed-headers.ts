import type { Provider } from './providers.ts';
import { holdsServiceKey, isCredential, withoutScheme } from './service-keys.ts';

/** Names and values in turn, as Node has them before it joins and lowers them. */
export type RawHeaders = readonly string[];

/** Of one connection (RFC 9110, 7.6.1), or made for each message. */
const OF_CONNECTION =
  /^(connection|keep-alive|proxy-(authenticate|authorization|connection)|te|trailer|transfer-encoding|upgrade)$/;
/** Of this server and of what stands before it, which are nothing to a provider. */
const NOT_SENT =
  /^(host|content-length|expect|cookie2?|forwarded|via|x-real-ip|x-forwarded-.*|x-sm-.*|x-supermemory-.*)$/;
/** Cookies, and what would hold for this server instead of the provider. */
const NOT_ANSWERED =
  /^(set-cookie2?|access-control-.*|x-sm-.*|x-supermemory-.*|alt-svc|strict-transport-security|public-key-pins.*|clear-site-data|nel|report-to|reporting-endpoints)$/;
const PROVIDER_KEY = 'x-sm-provider-key';

export interface PassedCall {
  readonly provider: Provider;
  readonly url: URL;
  /** The query has a key for the provider. */
  readonly hasKey: boolean;
  /** Bytes of the body. Undefined: it is passed on as it comes. */
  readonly length: number | undefined;
}

/** Returns the headers that a provider gets: those of the caller, without ours, and with a key. */
export function headersToProvider(raw: RawHeaders, { provider, url, hasKey, length }: PassedCall): string[] {
  const own = pairsOf(raw).find(([name]) => name === PROVIDER_KEY)?.[2];
  const passed = pairsOf(raw).filter(
    ([name, , value]) => !NOT_SENT.test(name) && !holdsServiceKey(value) && !(own !== undefined && isCredential(name)),
  );
  const isKnown = hasKey || passed.some(([name]) => isCredential(name));
  const key = own === undefined ? (isKnown ? null : provider.key) : withoutScheme(own);
  return [
    ...passed.flatMap(([, ...pair]) => pair),
    ...(key === null ? [] : keyHeader(provider, url, key)),
    ...lengthOf(raw, length),
  ];
}

/** Returns the headers of an answer that its caller gets. */
export const headersToCaller = (raw: RawHeaders): string[] =>
  pairsOf(raw)
    .filter(([name]) => !NOT_ANSWERED.test(name))
    .flatMap(([, ...pair]) => pair);

/** Paths that are compatible with those of OpenAI take its header. */
function keyHeader({ format }: Provider, { pathname }: URL, key: string): [string, string] {
  if (format === 'anthropic') return ['x-api-key', key];
  if (format === 'gemini' && !pathname.includes('/openai/')) return ['x-goog-api-key', key];
  return ['Authorization', `Bearer ${key}`];
}

function lengthOf(raw: RawHeaders, length: number | undefined): string[] {
  if (length !== undefined) return ['Content-Length', String(length)];
  const declared = allPairs(raw).find(([name]) => name === 'content-length' || name === 'transfer-encoding');
  if (declared === undefined) return [];
  return declared[0] === 'content-length' ? ['Content-Length', declared[2]] : ['Transfer-Encoding', 'chunked'];
}

type Pair = readonly [lower: string, name: string, value: string];

function allPairs(raw: RawHeaders): Pair[] {
  const pairs: Pair[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] as string;
    pairs.push([name.toLowerCase(), name, raw[at + 1] as string]);
  }
  return pairs;
}

/** Without those of the connection, and those that the sender calls so. */
function pairsOf(raw: RawHeaders): Pair[] {
  const pairs = allPairs(raw);
  const named = new Set(
    pairs.filter(([name]) => name === 'connection').flatMap(([, , value]) => value.toLowerCase().split(/\s*,\s*/)),
  );
  return pairs.filter(([name]) => !OF_CONNECTION.test(name) && !named.has(name));
}
