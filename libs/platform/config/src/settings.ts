import { resolve } from 'node:path';
import type { AllowRule } from '#platform/fetch';
import { hosts, origins } from './callers.ts';
import { fetchAllow } from './fetch-allow.ts';
import { type Placement, placement, type StreamLimits, streamLimits } from './nats-streams.ts';
import { type ProviderSetting, proxyProviders } from './proxy-providers.ts';
import {
  address,
  apiKey,
  masterKeys,
  megabytes,
  ocrLanguages,
  oneOf,
  prefix,
  proxy,
  rateLimit,
  webAddress,
  whole,
} from './readers.ts';
import { domains, issuer, networks } from './sign-in.ts';
import { type FolderEntry, folderEntries, type RcloneEntry, rcloneEntries } from './source-entries.ts';
import { addressPair, redirects } from './web-addresses.ts';

/** All settings, checked once at the start. Sizes in bytes. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Address under which clients reach the server, without a slash at its end; null: as each request says. */
  readonly publicUrl: string | null;
  /** Mail server, perhaps with credentials; null: no mail is sent. */
  readonly smtpUrl: string | null;
  /** Sender of mails; null: `mneme` at the host of `publicUrl`. */
  readonly mailFrom: string | null;
  /** Address of the OpenID Connect provider by which people sign in; null: by none. */
  readonly oidcIssuer: string | null;
  readonly oidcClientId: string | null;
  readonly oidcClientSecret: string | null;
  /** Domains of addresses in lower case, each with the organization whose member everybody of it becomes. */
  readonly oidcDomains: readonly (readonly [domain: string, organization: string])[];
  /** By which this server is known to Google, for connections with Google Drive; null: there are none. */
  readonly googleClientId: string | null;
  readonly googleClientSecret: string | null;
  /** Addresses in place of Google's, of a stand-in: where people permit, and the API; null: Google's own. */
  readonly googleUrls: readonly [accounts: string, api: string] | null;
  /** Addresses below which people may be sent back to once they have connected a source, beside those of loopback. */
  readonly redirects: readonly string[];
  /** Whether applications get access to the tool server by OAuth. */
  readonly oauth: 'on' | 'off';
  /** Names and addresses by which the tool server may be called, in lower case, beside loopback and that of `publicUrl`. */
  readonly hosts: readonly string[];
  /** Origins of pages that may call the tool server, in lower case, beside its own and those of loopback. */
  readonly origins: readonly string[];
  /** Addresses and networks of proxies whose word on the address of a client counts. */
  readonly trustedProxies: readonly string[];
  /** Absolute path of the data folder. */
  readonly dataFolder: string;
  /** The first owner key; null: generated at the first start. */
  readonly apiKey: string | null;
  /** Opens the routes that manage organizations, and nothing else; null: they are closed. */
  readonly installationKey: string | null;
  /** Keys that seal secrets and backups, the newest first; null: those of a file. */
  readonly masterKey: string | null;
  /** Absolute path of a file with these keys; null: `master.key` in the data folder. */
  readonly masterKeyFile: string | null;
  /** Per key. Null: off. */
  readonly rateLimit: { readonly requests: number; readonly seconds: number } | null;
  /** First source of model files; null: none. */
  readonly modelsFolder: string | null;
  readonly embedding: 'local' | 'off';
  /** Whether the tokens of passages are stored, by which `rerank` compares. */
  readonly rerank: 'on' | 'off';
  /** `en`: texts in other languages have no model of their own. */
  readonly languages: 'auto' | 'en';
  /** Whether the server downloads models that it needs and lacks. */
  readonly downloads: 'on' | 'off';
  /** Tesseract's names of the languages that pictures of text may be in; at least one. */
  readonly ocrLanguages: readonly string[];
  /** Absolute path of ffmpeg; null: the one in PATH. */
  readonly ffmpeg: string | null;
  /** Memory for resident search partitions. */
  readonly cacheBytes: number;
  /** Unfinished documents at which adds are answered with 503. */
  readonly maxBacklog: number;
  /** Largest JSON body. */
  readonly maxBodyBytes: number;
  /** Event streams that a key may have open in this process. */
  readonly maxStreams: number;
  /** Free disk space below which adds are refused; deletions continue. */
  readonly minFreeBytes: number;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent';
  readonly metrics: 'on' | 'off';
  /** For single requests of the analytics. 0: nothing of them is recorded. */
  readonly analyticsBytes: number;
  /** Hosts, networks and ports of the operator that callers may have fetched. */
  readonly fetchAllow: readonly AllowRule[];
  /** Whether loopback addresses may be fetched; for tests. */
  readonly fetchLoopback: 'on' | 'off';
  /** Proxy for what callers have fetched, perhaps with credentials; null: direct connections. */
  readonly fetchProxy: string | null;
  /** Which providers calls of language models are passed on to: those that are known and `proxyProviders`, these alone, or none. */
  readonly proxy: 'on' | 'configured' | 'off';
  readonly proxyProviders: readonly ProviderSetting[];
  /** Largest body of a call. */
  readonly proxyBodyBytes: number;
  /** Tokens of a call above which its oldest turns are left out. */
  readonly proxyContextTokens: number;
  /** How long a call waits for memory. Milliseconds. */
  readonly proxyMemoryMs: number;
  /** Folders of this machine that connections may read from. */
  readonly folders: readonly FolderEntry[];
  /** Folders of rclone's remotes that connections may read from. */
  readonly rclone: readonly RcloneEntry[];
  /** Whether URLs of callers are fetched only where the robots.txt of the site permits it. */
  readonly robots: 'respect' | 'ignore';
  readonly role: 'all' | 'api' | 'worker';
  /** EventStoreDB or KurrentDB; null: the log is in the data folder. The three addresses may hold credentials. */
  readonly eventStoreUrl: string | null;
  /** NATS with JetStream, for bus, blobs and vectors; null: inside the process and in the data folder. */
  readonly natsUrl: string | null;
  /** OpenSearch; null: the views are in the data folder. */
  readonly openSearchUrl: string | null;
  /** Shards of each index of the views; the one with the checkpoint has one. */
  readonly openSearchShards: number;
  /** Copies of each shard, beside the first. */
  readonly openSearchReplicas: number;
  readonly prefix: string;
  /** Copies of each stream on NATS; null: one of new streams. */
  readonly natsReplicas: number | null;
  /** Limits of streams on NATS, in bytes; streams that are not named have none. */
  readonly natsLimits: StreamLimits;
  /** Servers that may hold the streams on NATS; null: any. */
  readonly natsPlacement: Placement | null;
}

interface Setting<T> {
  readonly variable: string;
  /** Text as in the environment; null: not set. */
  readonly fallback: string | null;
  readonly meaning: string;
  /** @throws Error whose message follows the name of the variable. */
  readonly read: (text: string) => T;
}

export const SETTINGS: { readonly [K in keyof Config]: Setting<Config[K]> } = {
  host: { variable: 'MNEME_HOST', fallback: '127.0.0.1', meaning: 'address to listen on', read: String },
  port: {
    variable: 'MNEME_PORT',
    fallback: '6767',
    meaning: 'port to listen on; 0 takes a free one',
    read: whole(0, 65535),
  },
  publicUrl: {
    variable: 'MNEME_PUBLIC_URL',
    fallback: null,
    meaning: 'address under which clients reach the server, for links in answers; not set: as each request says',
    read: webAddress,
  },
  smtpUrl: {
    variable: 'MNEME_SMTP_URL',
    fallback: null,
    meaning:
      'mail server for invitations, `smtp://user:password@host:587` or `smtps://…`; needs `MNEME_PUBLIC_URL`; not set: no mail is sent',
    read: address('smtp', 'smtps'),
  },
  mailFrom: {
    variable: 'MNEME_MAIL_FROM',
    fallback: null,
    meaning: 'sender of mails, e.g. `Mneme <mneme@example.com>`; not set: `mneme` at the host of `MNEME_PUBLIC_URL`',
    read: String,
  },
  oidcIssuer: {
    variable: 'MNEME_OIDC_ISSUER',
    fallback: null,
    meaning:
      'address of the [OpenID Connect](docs/operations.md#sign-in) provider by which people sign in; needs `MNEME_PUBLIC_URL`; not set: by keys and invitations only',
    read: issuer,
  },
  oidcClientId: {
    variable: 'MNEME_OIDC_CLIENT_ID',
    fallback: null,
    meaning: 'id of this server at the provider',
    read: String,
  },
  oidcClientSecret: {
    variable: 'MNEME_OIDC_CLIENT_SECRET',
    fallback: null,
    meaning: 'secret of this server at the provider',
    read: String,
  },
  oidcDomains: {
    variable: 'MNEME_OIDC_DOMAINS',
    fallback: '',
    meaning:
      'domains of e-mail addresses, each with the id of the organization whose member everybody of it becomes at the first sign-in, without access to tags, e.g. `example.com=7Qm…`',
    read: domains,
  },
  oauth: {
    variable: 'MNEME_OAUTH',
    fallback: 'off',
    meaning:
      '`on`: people connect [agents](docs/operations.md#oauth) to the tools by signing in, without a key; needs `MNEME_PUBLIC_URL` with https, or of loopback',
    read: oneOf('on', 'off'),
  },
  hosts: {
    variable: 'MNEME_HOSTS',
    fallback: '',
    meaning:
      'names and addresses by which [tools](docs/agents.md) are called, beside loopback and that of `MNEME_PUBLIC_URL`, e.g. `mneme.lan,10.0.0.5`',
    read: hosts,
  },
  origins: {
    variable: 'MNEME_ORIGINS',
    fallback: '',
    meaning:
      'origins of pages that may call [tools](docs/agents.md), beside those of this server and of loopback, e.g. `https://chat.example.com`',
    read: origins,
  },
  trustedProxies: {
    variable: 'MNEME_TRUSTED_PROXIES',
    fallback: '',
    meaning:
      'addresses and networks of reverse proxies that state the address of the client, e.g. `10.0.0.5,10.2.0.0/16`; not set: what a request says of it does not count',
    read: networks,
  },
  dataFolder: { variable: 'MNEME_DATA', fallback: './data', meaning: 'data folder', read: (path) => resolve(path) },
  apiKey: { variable: 'MNEME_API_KEY', fallback: null, meaning: 'fixes the first owner key', read: apiKey },
  installationKey: {
    variable: 'MNEME_INSTALLATION_KEY',
    fallback: null,
    meaning:
      'key of the operator, by which [organizations](docs/operations.md#organizations) are managed over HTTP; not set: only by commands',
    read: apiKey,
  },
  masterKey: {
    variable: 'MNEME_MASTER_KEY',
    fallback: null,
    meaning:
      'key that seals [secrets](docs/operations.md#secrets) and sealed backups: 32 random bytes in base64 or hexadecimal; several are separated by commas, the newest first',
    read: masterKeys,
  },
  masterKeyFile: {
    variable: 'MNEME_MASTER_KEY_FILE',
    fallback: null,
    meaning:
      'path of a file with the same content instead, which others may not read; not set: `master.key` in the data folder, made when a key is needed. Processes that share no data folder need one of both',
    read: resolve,
  },
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
  rerank: {
    variable: 'MNEME_RERANK',
    fallback: 'off',
    meaning:
      '`on`: the tokens of every passage are stored (64 bytes each), so that `rerank` compares 100 passages without the model; `off`: 40 are compared while the request waits',
    read: oneOf('on', 'off'),
  },
  languages: {
    variable: 'MNEME_LANGUAGES',
    fallback: 'auto',
    meaning: '`auto`: a multilingual model is fetched with the first text that needs it; `en`: never',
    read: oneOf('auto', 'en'),
  },
  downloads: {
    variable: 'MNEME_DOWNLOADS',
    fallback: 'on',
    meaning: '`off`: the server downloads no models by itself; `mneme models install` still does',
    read: oneOf('on', 'off'),
  },
  ocrLanguages: {
    variable: 'MNEME_OCR_LANGUAGES',
    fallback: 'eng',
    meaning: 'languages of text in pictures, by the names of Tesseract, e.g. `eng,deu`',
    read: ocrLanguages,
  },
  ffmpeg: {
    variable: 'MNEME_FFMPEG',
    fallback: null,
    meaning: 'path of the program ffmpeg, for sound and video; not set: the one in PATH',
    read: (path) => resolve(path),
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
  maxStreams: {
    variable: 'MNEME_MAX_STREAMS',
    fallback: '100',
    meaning: 'event streams that a key may have open; the next one is answered with 429',
    read: whole(1, 100_000),
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
  metrics: {
    variable: 'MNEME_METRICS',
    fallback: 'off',
    meaning:
      '`on`: `GET /metrics` answers in the Prometheus text format, for [the operator](docs/operations.md#metrics)',
    read: oneOf('on', 'off'),
  },
  analyticsBytes: {
    variable: 'MNEME_ANALYTICS_MB',
    fallback: '256',
    meaning:
      'space for single requests of the analytics, 220 bytes each, for 90 days at the longest; 0: nothing is recorded, MiB',
    read: megabytes(0, 1_000_000),
  },
  fetchAllow: {
    variable: 'MNEME_FETCH_ALLOW',
    fallback: '',
    meaning:
      'hosts, networks and ports that URLs of callers may lead to although they are not public, e.g. `wiki.corp,*.lan:3000,10.2.0.0/16,:8081`',
    read: fetchAllow,
  },
  fetchLoopback: {
    variable: 'MNEME_FETCH_LOOPBACK',
    fallback: 'off',
    meaning: '`on`: URLs of callers may lead to loopback addresses, for tests',
    read: oneOf('on', 'off'),
  },
  fetchProxy: {
    variable: 'MNEME_FETCH_PROXY',
    fallback: null,
    meaning: 'proxy for URLs of callers, `http://user:password@host:3128`; not set: direct connections',
    read: proxy,
  },
  folders: {
    variable: 'MNEME_FOLDERS',
    fallback: '[]',
    meaning:
      'folders of this machine that [connections](docs/connectors.md#folder) may read from, as a JSON list, e.g. `[{"name":"notes","path":"/srv/notes"}]`; embedded engines only',
    read: folderEntries,
  },
  rclone: {
    variable: 'MNEME_RCLONE',
    fallback: '[]',
    meaning:
      'folders of the remotes of rclone that [connections](docs/connectors.md#rclone) may read from, as a JSON list, e.g. `[{"name":"team","remote":"dropbox:Team"}]`',
    read: rcloneEntries,
  },
  googleClientId: {
    variable: 'MNEME_GOOGLE_CLIENT_ID',
    fallback: null,
    meaning:
      'id of this server at Google, for connections with [Google Drive](docs/connectors.md#google-drive); needs `MNEME_PUBLIC_URL` with https, or of loopback',
    read: String,
  },
  googleClientSecret: {
    variable: 'MNEME_GOOGLE_CLIENT_SECRET',
    fallback: null,
    meaning: 'secret of this server at Google',
    read: String,
  },
  googleUrls: {
    variable: 'MNEME_GOOGLE_URLS',
    fallback: null,
    meaning: "two addresses in place of Google's, for tests",
    read: addressPair,
  },
  redirects: {
    variable: 'MNEME_REDIRECTS',
    fallback: '',
    meaning:
      'addresses to which people may be sent back once they have connected a source (`redirectUrl`), separated by commas, each with everything below it, e.g. `https://app.example.com/connected`; loopback addresses always',
    read: redirects,
  },
  proxy: {
    variable: 'MNEME_PROXY',
    fallback: 'on',
    meaning:
      '`on`: calls of language models are [passed on](docs/proxy.md) to known providers and those of `MNEME_PROXY_PROVIDERS`; `configured`: to the latter alone; `off`: to none',
    read: oneOf('on', 'configured', 'off'),
  },
  proxyProviders: {
    variable: 'MNEME_PROXY_PROVIDERS',
    fallback: '[]',
    meaning:
      'providers of language models as a [JSON list](docs/proxy.md#providers), such as local servers, and keys that callers share, e.g. `[{"name":"ollama","base":"http://127.0.0.1:11434","format":"openai"}]`',
    read: proxyProviders,
  },
  proxyBodyBytes: {
    variable: 'MNEME_PROXY_MAX_BODY_MB',
    fallback: '50',
    meaning: 'largest body of a call of a language model, MiB',
    read: megabytes(1, 1024),
  },
  proxyContextTokens: {
    variable: 'MNEME_PROXY_CONTEXT_TOKENS',
    fallback: '100000',
    meaning: 'tokens of a call of a language model above which its oldest turns are left out',
    read: whole(1_000, 10_000_000),
  },
  proxyMemoryMs: {
    variable: 'MNEME_PROXY_MEMORY_MS',
    fallback: '250',
    meaning: 'milliseconds that a call of a language model waits for memory; it then goes on without it',
    read: whole(1, 60_000),
  },
  robots: {
    variable: 'MNEME_ROBOTS',
    fallback: 'respect',
    meaning: '`respect`: URLs of callers are fetched only where the robots.txt of the site permits it; or `ignore`',
    read: oneOf('respect', 'ignore'),
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
  openSearchShards: {
    variable: 'MNEME_OPENSEARCH_SHARDS',
    fallback: '1',
    meaning: 'shards of each index in OpenSearch; a change takes effect with the next `mneme replay`',
    read: whole(1, 64),
  },
  openSearchReplicas: {
    variable: 'MNEME_OPENSEARCH_REPLICAS',
    fallback: '0',
    meaning:
      'copies of each shard in OpenSearch, beside the first; more at the start, fewer with the next `mneme replay`',
    read: whole(0, 10),
  },
  prefix: {
    variable: 'MNEME_PREFIX',
    fallback: 'mneme',
    meaning: 'first part of all names on NATS and OpenSearch, for installations that share these',
    read: prefix,
  },
  natsReplicas: {
    variable: 'MNEME_NATS_REPLICAS',
    fallback: null,
    meaning:
      'copies of each stream on NATS, 1 to 5; not set: 1 of new streams. Existing streams get more copies, never fewer',
    read: whole(1, 5),
  },
  natsLimits: {
    variable: 'MNEME_NATS_LIMITS_MB',
    fallback: '',
    meaning: 'largest sizes of streams on NATS, MiB, e.g. `blobs=50000,vectors=8000`; not named: no limit',
    read: streamLimits,
  },
  natsPlacement: {
    variable: 'MNEME_NATS_PLACEMENT',
    fallback: null,
    meaning: 'servers that hold the streams on NATS, by tags or cluster, e.g. `cluster=east,tag=ssd`; not set: any',
    read: placement,
  },
};
