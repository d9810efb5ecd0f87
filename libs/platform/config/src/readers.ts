import { parseMasterKeys } from '#platform/sealing';

const MEGABYTE = 1024 * 1024;

/** Returns the entries of a list that commas separate. */
export const entriesOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

export function whole(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
      throw new Error(`must be a whole number from ${minimum} to ${maximum}`);
    }
    return value;
  };
}

export function oneOf<const T extends string>(...allowed: readonly T[]): (text: string) => T {
  return (text) => {
    const found = allowed.find((value) => value === text);
    if (found === undefined) throw new Error(`must be one of ${allowed.join(', ')}`);
    return found;
  };
}

export function rateLimit(text: string): { readonly requests: number; readonly seconds: number } | null {
  if (text === 'off') return null;
  const match = /^(\d{1,9})\/(\d{1,5})$/.exec(text);
  const [requests, seconds] = [Number(match?.[1]), Number(match?.[2])];
  if (!(requests >= 1 && seconds >= 1 && seconds <= 3600)) {
    throw new Error('must be `off` or REQUESTS/SECONDS, e.g. 500/60, with at most 3600 seconds');
  }
  return { requests, seconds };
}

export function apiKey(text: string): string {
  if (!/^sm_\S{17,197}$/.test(text)) throw new Error('must be sm_ and 17 to 197 characters without white space');
  return text;
}

/** Its errors do not quote the keys. */
export function masterKeys(text: string): string {
  parseMasterKeys(text);
  return text;
}

export function prefix(text: string): string {
  if (!/^[a-z][a-z0-9]{0,29}$/.test(text)) throw new Error('must be a lower-case letter and up to 29 more or digits');
  return text;
}

/** Accepts hosts with ports, separated by commas, with optional credentials. Its errors do not quote the address. */
export function address(...schemes: readonly string[]): (text: string) => string {
  const names = schemes.map((scheme) => scheme.replace('+', '\\+')).join('|');
  const pattern = new RegExp(`^(${names})://([^@/?#\\s]+@)?[^@/?#\\s]+(/[^\\s]*)?(\\?[^\\s]*)?$`);
  return (text) => {
    if (pattern.test(text)) return text;
    throw new Error(`must be an address like ${schemes[0]}://host:port (${schemes.join(', ')})`);
  };
}

/** Reads names of languages as Tesseract has them, separated by commas or `+`, without repetitions. */
export function ocrLanguages(text: string): readonly string[] {
  const names = text.split(/[,+]/).map((name) => name.trim());
  const wrong = names.find((name) => !/^[a-z]{3}(_[a-z]{3,4})?(_vert)?$/.test(name));
  if (wrong !== undefined) {
    throw new Error(`must be Tesseract's names of languages, separated by commas, e.g. eng,deu; "${wrong}" is none`);
  }
  return [...new Set(names)];
}

export const megabytes = (minimum: number, maximum: number) => (text: string) =>
  whole(minimum, maximum)(text) * MEGABYTE;

/** Returns an address of the web without slashes at its end. */
export function webAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.username === '' && url.search === '' && url.hash === '';
  if (!isPlain || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error('must be an address like https://memory.example.com/path');
  }
  return url.href.replace(/\/+$/, '');
}

/** Its errors do not quote the address, which may hold credentials. */
export function proxy(text: string): string {
  const url = URL.parse(text);
  const isPlain = url !== null && url.hostname !== '' && url.pathname === '/' && url.search === '' && url.hash === '';
  if (!isPlain || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error('must be an address like http://host:3128, with http or https');
  }
  return url.href;
}
