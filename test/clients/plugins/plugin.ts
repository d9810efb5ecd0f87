import type { Answer } from '../../support/mneme.ts';

/** Sends a request with the plugin's key. */
export type Send = <T = Record<string, unknown>>(method: string, path: string, body?: unknown) => Promise<Answer<T>>;

export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

export const user = (text: string): Turn => ({ role: 'user', text });
export const assistant = (text: string): Turn => ({ role: 'assistant', text });

/** A result of `/v4/search`, and of the search in `/v4/profile`. */
export interface Result {
  readonly id: string;
  readonly memory?: string;
  readonly chunk?: string;
  readonly content?: string;
  readonly context?: string;
}

export interface Profile {
  readonly profile: { readonly static: readonly string[]; readonly dynamic: readonly string[] };
  readonly searchResults?: { readonly results: readonly Result[] };
}

/** Returns the body of a successful answer. */
export function body<T>({ status, body: sent }: Answer<T>): T {
  if (status < 200 || status > 299) throw new Error(`${status}: ${JSON.stringify(sent)}`);
  return sent;
}

/** Keeps the results that have a text. */
export const withText = (texts: readonly (string | undefined)[]): readonly string[] =>
  texts.filter((text) => text !== undefined);
