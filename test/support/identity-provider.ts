import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js';
import { listen } from './listen.ts';

/** What the provider knows of a person. */
export interface Person {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

export const CLIENT = { MNEME_OIDC_CLIENT_ID: 'mneme', MNEME_OIDC_CLIENT_SECRET: 'a secret of the provider' };

/** Of each kind of record. Seconds. */
const TTL = { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, AuthorizationCode: 600, IdToken: 600 };

/** An OpenID Connect provider on a loopback address. Whoever is sent to it is signed in as the person whose turn it is. */
export class IdentityProvider {
  readonly issuer: string;
  /** By the id of the account. */
  readonly people: Record<string, Person> = {};
  /** The account that signs in next; null: the person refuses. */
  next: string | null = null;
  readonly #server: Server;

  /** @param callbackUrl where the client is sent back to. @param port default: a free one */
  static async start(callbackUrl: string, port = 0): Promise<IdentityProvider> {
    const server = createServer();
    await listen(server, port);
    return new IdentityProvider(server, callbackUrl);
  }

  private constructor(server: Server, callbackUrl: string) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${this.port}`;
    const client = {
      ...{ client_id: CLIENT.MNEME_OIDC_CLIENT_ID, client_secret: CLIENT.MNEME_OIDC_CLIENT_SECRET },
      redirect_uris: [callbackUrl],
    };
    const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
    const provider = new Provider(this.issuer, {
      // The provider warns of what it chooses by itself.
      ...{ adapter: class extends MemoryAdapter {}, jwks: { keys: [{ ...key, use: 'sig' }] }, ttl: TTL },
      clients: [client],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      cookies: { keys: ['test'] },
      features: { devInteractions: { enabled: false } },
      findAccount: (_: unknown, id: string) => ({
        accountId: id,
        claims: () => ({ sub: id, ...this.people[id] }),
      }),
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      pkce: { required: () => true },
    });
    const answer = provider.callback();
    server.on('request', (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return answer(request, response);
      return void this.#interact(provider, request, response);
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** From now on nothing answers. */
  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #interact(provider: Provider, ...[request, response]: Parameters<ReturnType<Provider['callback']>>) {
    const { prompt, params } = await provider.interactionDetails(request, response);
    const { next } = this;
    if (next === null) {
      const refused = { error: 'access_denied', error_description: 'The person has refused' };
      return provider.interactionFinished(request, response, refused);
    }
    if (prompt.name === 'login') return provider.interactionFinished(request, response, { login: { accountId: next } });
    const grant = new provider.Grant({ accountId: next, clientId: String(params.client_id) });
    grant.addOIDCScope(String(params.scope));
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  }
}
