import { resolve } from 'node:path';
import { MnemeError } from '#kernel';

/** Everything that can be set, checked once at the start. Sizes in bytes, times in milliseconds. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Absolute path of the data folder. */
  readonly dataFolder: string;
  /** Fixes the first owner key; null: one is made at the first start. */
  readonly apiKey: string | null;
  /** Null: off. */
  readonly rateLimit: { readonly requests: number; readonly seconds: number } | null;
  /** Folder to take model files from before any other source; null: none. */
  readonly modelsFolder: string | null;
  readonly embedding: 'local' | 'off';
  /** Memory for resident search partitions. */
  readonly cacheBytes: number;
  /** Unfinished documents at which further adds are answered with 503. */
  readonly maxBacklog: number;
  /** Largest JSON body. */
  readonly maxBodyBytes: number;
  /** Free disk space under which adds are refused; deletions go on. */
  readonly minFreeBytes: number;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent';
  /** What this process does: everything, the HTTP API, or the work behind it. */
  readonly role: 'all' | 'api' | 'worker';
  /** EventStoreDB or KurrentDB; null: the log is in the data folder. May hold credentials, as the next two may. */
  readonly eventStoreUrl: string | null;
  /** NATS with JetStream, for bus, blobs and vectors; null: inside the process and in the data folder. */
  readonly natsUrl: string | null;
  /** OpenSearch; null: the views are in the data folder. */
  readonly openSearchUrl: string | null;
  /** First part of every name on NATS and OpenSearch. */
  readonly prefix: string;
}

/** The start cannot go on with these settings; the message names each of them. */
export class ConfigError extends MnemeError {
  override readonly name = 'ConfigError';
  override readonly kind = 'permanent';
  override readonly code = 'invalid_config';
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Setting<T> {
  readonly variable: string;
  /** As it is written in the environment. */
  readonly fallback: string | null;
  readonly meaning: string;
  /** @throws Error whose message continues "VARIABLE …" */
  readonly read: (text: string) => T;
}

const MEGABYTE = 1024 * 1024;

function whole(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
      throw new Error(`must be a whole number from ${minimum} to ${maximum}`);
    }
    return value;
  };
}

function oneOf<const T extends string>(...allowed: readonly T[]): (text: string) => T {
  return (text) => {
    const found = allowed.find((value) => value === text);
    if (found === undefined) throw new Error(`must be one of ${allowed.join(', ')}`);
    return found;
  };
}

function rateLimit(text: string): Config['rateLimit'] {
  if (text === 'off') return null;
  const match = /^(\d{1,9})\/(\d{1,5})$/.exec(text);
  const [requests, seconds] = [Number(match?.[1]), Number(match?.[2])];
  if (!(requests >= 1 && seconds >= 1 && seconds <= 3600)) {
    throw new Error('must be `off` or REQUESTS/SECONDS, e.g. 500/60, with at most 3600 seconds');
  }
  return { requests, seconds };
}

function apiKey(text: string): string {
  if (!/^\S{16,200}$/.test(text)) throw new Error('must be 16 to 200 characters without white space');
  return text;
}

function prefix(text: string): string {
  if (!/^[a-z][a-z0-9]{0,29}$/.test(text)) throw new Error('must be a lower-case letter and up to 29 more or digits');
  return text;
}

/** Hosts with ports, several separated by commas, behind credentials that nothing else may show. */
function address(...schemes: readonly string[]): (text: string) => string {
  const names = schemes.map((scheme) => scheme.replace('+', '\\+')).join('|');
  const pattern = new RegExp(`^(${names})://([^@/?#\\s]+@)?[^@/?#\\s]+(/[^\\s]*)?(\\?[^\\s]*)?$`);
  return (text) => {
    if (pattern.test(text)) return text;
    throw new Error(`must be an address like ${schemes[0]}://host:port (${schemes.join(', ')})`);
  };
}

const megabytes = (minimum: number, maximum: number) => (text: string) => whole(minimum, maximum)(text) * MEGABYTE;

const SETTINGS: { readonly [K in keyof Config]: Setting<Config[K]> } = {
  host: { variable: 'MNEME_HOST', fallback: '127.0.0.1', meaning: 'address to listen on', read: String },
  port: {
    variable: 'MNEME_PORT',
    fallback: '6767',
    meaning: 'port to listen on; 0 takes a free one',
    read: whole(0, 65535),
  },
  dataFolder: { variable: 'MNEME_DATA', fallback: './data', meaning: 'data folder', read: (path) => resolve(path) },
  apiKey: { variable: 'MNEME_API_KEY', fallback: null, meaning: 'fixes the first owner key', read: apiKey },
  rateLimit: {
    variable: 'MNEME_RATE_LIMIT',
    fallback: '500/60',
    meaning: 'requests per seconds and key, or `off`',
    read: rateLimit,
  },
  modelsFolder: {
    variable: 'MNEME_MODELS',
    fallback: null,
    meaning: 'folder with model files, asked before any other source',
    read: (path) => resolve(path),
  },
  embedding: {
    variable: 'MNEME_EMBEDDING',
    fallback: 'local',
    meaning: '`local` model, or `off`: search by words alone',
    read: oneOf('local', 'off'),
  },
  cacheBytes: {
    variable: 'MNEME_CACHE_MB',
    fallback: '256',
    meaning: 'memory for resident search partitions, MiB',
    read: megabytes(0, 1_000_000),
  },
  maxBacklog: {
    variable: 'MNEME_MAX_BACKLOG',
    fallback: '200000',
    meaning: 'unfinished documents at which adds answer 503',
    read: whole(1, 10_000_000),
  },
  maxBodyBytes: {
    variable: 'MNEME_MAX_BODY_MB',
    fallback: '50',
    meaning: 'largest JSON body, MiB',
    read: megabytes(1, 1024),
  },
  minFreeBytes: {
    variable: 'MNEME_MIN_FREE_MB',
    fallback: '64',
    meaning: 'free disk space under which adds answer 503 while deletions go on, MiB',
    read: megabytes(0, 1_000_000),
  },
  logLevel: {
    variable: 'MNEME_LOG_LEVEL',
    fallback: 'info',
    meaning: 'least level that is logged',
    read: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent'),
  },
  role: {
    variable: 'MNEME_ROLE',
    fallback: 'all',
    meaning: '`all`, `api` (HTTP) or `worker` (the work behind it); other than `all` on distributed engines only',
    read: oneOf('all', 'api', 'worker'),
  },
  eventStoreUrl: {
    variable: 'MNEME_EVENTSTORE_URL',
    fallback: null,
    meaning: 'EventStoreDB for the event log, `esdb://user:password@host:2113?tls=true`',
    read: address('esdb', 'esdb+discover'),
  },
  natsUrl: {
    variable: 'MNEME_NATS_URL',
    fallback: null,
    meaning: 'NATS with JetStream for bus, blobs and vectors, `nats://user:password@host:4222`',
    read: address('nats', 'tls'),
  },
  openSearchUrl: {
    variable: 'MNEME_OPENSEARCH_URL',
    fallback: null,
    meaning: 'OpenSearch for views and search, `https://user:password@host:9200`',
    read: address('http', 'https'),
  },
  prefix: {
    variable: 'MNEME_PREFIX',
    fallback: 'mneme',
    meaning: 'first part of all names on NATS and OpenSearch, for installations that share these',
    read: prefix,
  },
};

const KNOWN = new Set(Object.values(SETTINGS).map(({ variable }) => variable));

/** What container platforms put into the environment of a service that happens to be called `mneme`. */
const INJECTED = /^MNEME_(SERVICE_|PORT_)/;
const injectedPort = (value: string | undefined) => value?.startsWith('tcp://') === true;

/**
 * @returns the settings, and warnings for what was ignored
 * @throws ConfigError that names every setting that is unknown or unusable
 */
export function loadConfig(environment: Environment): {
  readonly config: Config;
  readonly warnings: readonly string[];
} {
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const name of Object.keys(environment).filter((name) => name.startsWith('MNEME_'))) {
    if (KNOWN.has(name)) continue;
    if (INJECTED.test(name)) warnings.push(`${name} looks like it was set by a container platform and is ignored`);
    else problems.push(`${name} is not a setting of Mneme`);
  }
  const config: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(SETTINGS)) {
    let text = environment[setting.variable];
    if (setting.variable === 'MNEME_PORT' && injectedPort(text)) {
      warnings.push('MNEME_PORT holds a tcp:// address, as container platforms set it, and is ignored');
      text = undefined;
    }
    const given = text === undefined || text === '' ? setting.fallback : text;
    try {
      config[key] = given === null ? null : setting.read(given);
    } catch (error) {
      problems.push(`${setting.variable} ${(error as Error).message}`);
    }
  }
  if (problems.length === 0) problems.push(...roleProblems(config as unknown as Config));
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return { config: config as unknown as Config, warnings };
}

/** Processes that share the work have to share every engine. */
function roleProblems({ role, eventStoreUrl, natsUrl, openSearchUrl }: Config): string[] {
  if (role === 'all') return [];
  const missing = [
    ...(eventStoreUrl === null ? ['MNEME_EVENTSTORE_URL (event log)'] : []),
    ...(natsUrl === null ? ['MNEME_NATS_URL (bus and blobs)'] : []),
    ...(openSearchUrl === null ? ['MNEME_OPENSEARCH_URL (views)'] : []),
  ];
  if (missing.length === 0) return [];
  return [`MNEME_ROLE ${role} needs engines that processes can share; not set: ${missing.join(', ')}`];
}

/** An address as it may be shown: without what it takes to get in. */
export function withoutCredentials(url: string): string {
  return url.replace(/[^@/?#\s,]+@/g, '').replace(/\?.*$/, '');
}

/** Name, default and meaning of every setting, for the documentation. */
export function describeSettings(): readonly {
  readonly variable: string;
  readonly fallback: string;
  readonly meaning: string;
}[] {
  return Object.values(SETTINGS).map(({ variable, fallback, meaning }) => ({
    variable,
    fallback: fallback ?? '',
    meaning,
  }));
}

/** The environment of this process: the only place that reads it. */
export const readEnvironment = (): Environment => process.env;
