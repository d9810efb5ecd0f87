import { readFileSync } from 'node:fs';
import { KNOWN_PROVIDERS, type Provider } from '#features/proxy';
import { type Config, ConfigError } from '#platform/config';

/** What a header can hold. */
const KEY = /^[\x21-\x7e]+$/;

/**
 * Returns the providers to which calls of language models are passed on, those of the settings first. Null: there are none.
 * @throws ConfigError for a file without a key
 */
export function proxyProvidersOf({ proxy, proxyProviders }: Config): readonly Provider[] | null {
  if (proxy === 'off') return null;
  const configured = proxyProviders.map(({ keyFile, ...provider }): Provider => {
    const key = keyFile === null ? provider.key : readKey(provider.name, keyFile);
    return { ...provider, key, isConfigured: true };
  });
  return [...configured, ...(proxy === 'on' ? KNOWN_PROVIDERS : [])];
}

function readKey(name: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `MNEME_PROXY_PROVIDERS names ${path} as the keyFile of ${name}, which cannot be read (${code}).`,
    );
  }
  if (!KEY.test(text)) throw new ConfigError(`The file ${path}, the keyFile of ${name}, must hold a key on one line.`);
  return text;
}
