import { resolve } from 'node:path';

/** By what a provider knows its caller: `Authorization`, `x-api-key` or `x-goog-api-key`. */
export const PROVIDER_FORMATS = ['openai', 'anthropic', 'gemini'] as const;
export type ProviderFormat = (typeof PROVIDER_FORMATS)[number];

/** A provider of language models that the operator has named. */
export interface ProviderSetting {
  /** As paths have it: `/proxy/<name>/…`. */
  readonly name: string;
  /** Address that its paths follow, without a slash at its end. */
  readonly base: string;
  readonly format: ProviderFormat;
  /** Sent for callers that have none of their own. Null: none, or in a file. */
  readonly key: string | null;
  /** Absolute path of a file with the key. */
  readonly keyFile: string | null;
  /** Ids of the organizations that may call it; null: all. */
  readonly organizations: readonly string[] | null;
}

const FIELDS: readonly string[] = ['name', 'base', 'format', 'key', 'keyFile', 'organizations'];
const NAME = /^[a-z][a-z0-9-]{0,29}$/;
/** What a header can hold. */
const KEY = /^[\x21-\x7e]+$/;

/** Reads a list of providers as JSON. Its errors do not quote keys. */
export function proxyProviders(text: string): readonly ProviderSetting[] {
  const list = parsed(text);
  if (!Array.isArray(list)) throw new Error(FORM);
  const providers = list.map(providerOf);
  const twice = providers.find(({ name }, at) => providers.findIndex((other) => other.name === name) !== at);
  if (twice !== undefined) throw new Error(`names ${twice.name} twice`);
  return providers;
}

const FORM = 'must be a JSON list like [{"name":"ollama","base":"http://127.0.0.1:11434","format":"openai"}]';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(FORM);
  }
}

function providerOf(entry: unknown): ProviderSetting {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw new Error(FORM);
  const { name, base, format, key = null, keyFile = null, organizations = null } = entry as Record<string, unknown>;
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new Error('has a provider without a `name` of lower-case letters, digits and hyphens, such as ollama');
  }
  const unknown = Object.keys(entry).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) throw new Error(`has a field ${unknown} of ${name} that is none of ${FIELDS.join(', ')}`);
  const known = PROVIDER_FORMATS.find((one) => one === format);
  if (known === undefined) throw new Error(`needs a format of ${name}: ${PROVIDER_FORMATS.join(', ')}`);
  if (key !== null && (typeof key !== 'string' || !KEY.test(key))) throw new Error(`has a key of ${name} that is none`);
  if (keyFile !== null && (typeof keyFile !== 'string' || keyFile === '')) {
    throw new Error(`has a keyFile of ${name} that is no path`);
  }
  if (key !== null && keyFile !== null) throw new Error(`has both key and keyFile of ${name}; set one of them`);
  if (organizations !== null && !isListOfIds(organizations)) {
    throw new Error(`has organizations of ${name} that are no list of ids`);
  }
  return { name, base: baseOf(name, base), format: known, key, keyFile: keyFile && resolve(keyFile), organizations };
}

const isListOfIds = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((id) => typeof id === 'string' && id !== '');

function baseOf(name: string, base: unknown): string {
  const url = typeof base === 'string' ? URL.parse(base) : null;
  const isPlain = url !== null && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new Error(`needs a base of ${name}, an address like http://127.0.0.1:11434`);
  }
  return url.href.replace(/\/+$/, '');
}
