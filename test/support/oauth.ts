import { createHash, randomBytes } from 'node:crypto';
import type { Visit, Visitor } from './visitor.ts';

export const REDIRECT_URI = 'http://127.0.0.1:8123/callback';

/** A proof key of an application. */
export function proofKey() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** What an application and the page of the server ask for, as a person with a browser sees it. */
export class Connection {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly #address: string;
  readonly verifier: string;
  readonly #challenge: string;

  /** @param address under which the server is known */
  constructor(address: string, clientId: string, redirectUri = REDIRECT_URI) {
    this.#address = address;
    this.clientId = clientId;
    this.redirectUri = redirectUri;
    const { verifier, challenge } = proofKey();
    this.verifier = verifier;
    this.#challenge = challenge;
  }

  /** The query with which the application sends the browser. A change to null leaves a parameter out. */
  query(changes: Readonly<Record<string, string | null>> = {}): string {
    const all: Record<string, string | null> = {
      ...{ response_type: 'code', client_id: this.clientId, redirect_uri: this.redirectUri, state: 'x y' },
      ...{ code_challenge: this.#challenge, code_challenge_method: 'S256', resource: `${this.#address}/mcp` },
      ...changes,
    };
    const kept = Object.entries(all).filter((one): one is [string, string] => one[1] !== null);
    return new URLSearchParams(kept).toString();
  }

  asked(visitor: Visitor, changes?: Readonly<Record<string, string | null>>): Promise<Visit> {
    return visitor.visit(`/oauth/request?${this.query(changes)}`);
  }

  /** The fields with which the application exchanges its code. */
  exchange(code: string): Readonly<Record<string, string>> {
    return {
      ...{ grant_type: 'authorization_code', client_id: this.clientId, redirect_uri: this.redirectUri },
      ...{ code, code_verifier: this.verifier },
    };
  }
}

/** Permits what is asked for, as the page does. @returns where the browser goes back to */
export async function permit(visitor: Visitor, request: string, fields: object = {}): Promise<URL> {
  const { status, body } = await visitor.visit('/oauth/consent', {
    ...{ method: 'POST', body: { request, allow: true, ...fields } },
  });
  if (status !== 200) throw new Error(`POST /oauth/consent returned ${status}: ${JSON.stringify(body)}`);
  return new URL(body.location);
}

/** Sends a form, as applications do. */
export async function sendForm(server: string, path: string, fields: Readonly<Record<string, string>>) {
  const response = await fetch(server + path, { method: 'POST', body: new URLSearchParams(fields) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}
