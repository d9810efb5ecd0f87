/** How a provider is given its key: as `Authorization: Bearer`, `x-api-key` or `x-goog-api-key`. */
export type KeyStyle = 'openai' | 'anthropic' | 'gemini';

/** A provider of language models to which calls may be passed on. */
export interface Provider {
  /** As paths have it: `/proxy/<name>/…`. */
  readonly name: string;
  /** Address that its paths follow, without a slash at its end. */
  readonly base: string;
  readonly format: KeyStyle;
  /** For callers that send none of their own; null: there is none. */
  readonly key: string | null;
  /** Ids of the organizations that may call it; null: all. */
  readonly organizations: readonly string[] | null;
  /** The operator has named it, so it may have a private address. */
  readonly isConfigured: boolean;
}

const known = (name: string, base: string, format: KeyStyle = 'openai'): Provider => ({
  ...{ name, base, format, key: null, organizations: null, isConfigured: false },
});

/** Providers that need no setting. */
export const KNOWN_PROVIDERS: readonly Provider[] = [
  known('openai', 'https://api.openai.com'),
  known('anthropic', 'https://api.anthropic.com', 'anthropic'),
  known('gemini', 'https://generativelanguage.googleapis.com', 'gemini'),
  known('groq', 'https://api.groq.com'),
  known('deepinfra', 'https://api.deepinfra.com'),
  known('openrouter', 'https://openrouter.ai'),
];

/** The providers of a deployment. Of several that fit, the first one that the organization may call is taken. */
export class Providers {
  readonly #all: readonly Provider[];

  /** @param all those of the operator before the known ones, which they replace for their organizations */
  constructor(all: readonly Provider[]) {
    this.#all = all;
  }

  named(name: string, organization: string): Provider | 'unknown' | 'forbidden' {
    const named = this.#all.filter((provider) => provider.name === name);
    return named.find((provider) => mayCall(provider, organization)) ?? (named.length === 0 ? 'unknown' : 'forbidden');
  }

  /** Returns the provider at an address. Null: there is none that the organization may call. */
  at(url: URL, organization: string): Provider | null {
    return this.#all.find((provider) => isBelow(url, provider) && mayCall(provider, organization)) ?? null;
  }
}

/** Whether an address is one of a provider. */
export function isBelow({ origin, pathname }: URL, { base }: Provider): boolean {
  const { origin: own, pathname: path } = new URL(base);
  const folder = path.replace(/\/+$/, '');
  return origin === own && (pathname === folder || pathname.startsWith(`${folder}/`));
}

const mayCall = ({ organizations }: Provider, organization: string): boolean =>
  organizations === null || organizations.includes(organization);
