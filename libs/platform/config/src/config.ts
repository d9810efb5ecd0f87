import { isLoopbackHost, mnemeError } from '#platform/kernel';
import { type Config, SETTINGS } from './settings.ts';
import { suggest } from './suggest.ts';

/** Invalid settings; the message names each of them. */
export class ConfigError extends mnemeError('permanent', 'invalid_config') {}

type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = 'MNEME_';
const KNOWN = Object.values(SETTINGS).map(({ variable }) => variable);

/** Variables that container platforms set for a service called `mneme`. */
const INJECTED = /^MNEME_(SERVICE_|PORT_)/;
const injectedPort = (value: string | undefined) => value?.startsWith('tcp://') === true;

/**
 * Reads the settings; warnings name ignored variables.
 * @throws ConfigError that names every unknown or invalid setting
 */
export function loadConfig(environment: Environment): {
  readonly config: Config;
  readonly warnings: readonly string[];
} {
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const name of Object.keys(environment).filter((name) => name.startsWith(PREFIX))) {
    if (KNOWN.includes(name)) continue;
    if (INJECTED.test(name)) warnings.push(`${name} looks like it was set by a container platform and is ignored`);
    else problems.push(unknownSetting(name));
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
  if (problems.length === 0) {
    const read = config as unknown as Config;
    problems.push(
      ...roleProblems(read),
      ...mailProblems(read),
      ...oidcProblems(read),
      ...oauthProblems(read),
      ...googleProblems(read),
      ...keyProblems(read),
      ...masterKeyProblems(read),
    );
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return { config: config as unknown as Config, warnings };
}

function unknownSetting(name: string): string {
  const meant = suggest(name, KNOWN, PREFIX);
  return `${name} is not a setting of Mneme${meant === null ? '' : `. Did you mean ${meant}?`}`;
}

/** Processes that share the work must share every engine. */
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

/** Links in mails never come from a request, which could name any host. */
const mailProblems = ({ smtpUrl, publicUrl }: Config): string[] =>
  smtpUrl === null || publicUrl !== null
    ? []
    : ['MNEME_SMTP_URL needs MNEME_PUBLIC_URL, the address that links in mails start with'];

/** The provider sends people back to an address that no request may choose. */
function oidcProblems(config: Config): string[] {
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcDomains, publicUrl } = config;
  const given = { MNEME_OIDC_ISSUER: oidcIssuer, MNEME_OIDC_CLIENT_ID: oidcClientId };
  const all = Object.entries({ ...given, MNEME_OIDC_CLIENT_SECRET: oidcClientSecret });
  const missing = all.filter(([, value]) => value === null).map(([variable]) => variable);
  if (missing.length === all.length) {
    return oidcDomains.length === 0
      ? []
      : ['MNEME_OIDC_DOMAINS needs MNEME_OIDC_ISSUER, the provider of the addresses'];
  }
  if (missing.length > 0) {
    return [`A sign-in by OpenID Connect needs issuer, client id and client secret; not set: ${missing.join(', ')}`];
  }
  return publicUrl === null
    ? ['MNEME_OIDC_ISSUER needs MNEME_PUBLIC_URL, the address to which the provider sends people back']
    : [];
}

/** Applications know the server by this address, and send their tokens to it. */
function oauthProblems({ oauth, publicUrl }: Config): string[] {
  if (oauth === 'off') return [];
  if (publicUrl === null)
    return ['MNEME_OAUTH needs MNEME_PUBLIC_URL, the address by which applications know the server'];
  return isSafe(publicUrl)
    ? []
    : ['MNEME_OAUTH needs a MNEME_PUBLIC_URL with https://; http:// is for loopback addresses only'];
}

function isSafe(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || isLoopbackHost(hostname);
}

/** Google sends people back to an address that no request may choose, and only with TLS or to loopback. */
function googleProblems({ googleClientId, googleClientSecret, publicUrl }: Config): string[] {
  if (googleClientId === null && googleClientSecret === null) return [];
  if (googleClientId === null || googleClientSecret === null) {
    return ['Google Drive needs both MNEME_GOOGLE_CLIENT_ID and MNEME_GOOGLE_CLIENT_SECRET'];
  }
  if (publicUrl === null) {
    return ['MNEME_GOOGLE_CLIENT_ID needs MNEME_PUBLIC_URL, the address to which Google sends people back'];
  }
  return isSafe(publicUrl)
    ? []
    : ['MNEME_GOOGLE_CLIENT_ID needs a MNEME_PUBLIC_URL with https://; http:// is for loopback addresses only'];
}

/** One key would open two things, of which either would win. */
const keyProblems = ({ apiKey, installationKey }: Config): string[] =>
  installationKey !== null && installationKey === apiKey
    ? ['MNEME_INSTALLATION_KEY must be another key than MNEME_API_KEY']
    : [];

/** Which of both seals would depend on their order. */
const masterKeyProblems = ({ masterKey, masterKeyFile }: Config): string[] =>
  masterKey !== null && masterKeyFile !== null
    ? ['MNEME_MASTER_KEY and MNEME_MASTER_KEY_FILE are both set; set one of them']
    : [];

/** Returns name, default and meaning of every setting, for the documentation. */
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

/** Returns the environment of this process; nothing else reads it. */
export const readEnvironment = (): Environment => process.env;
