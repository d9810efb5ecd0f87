import { err, newId, ok, type Result } from '#platform/kernel';
import { Seals } from '#ports/secrets';
import type { ClientDocuments } from './client-documents.ts';
import { type ClientMetadata, isDocumentAddress, type OAuthClient } from './clients.ts';

export interface AuthorizationServerOptions {
  /** Address of this server, without a slash at its end. */
  readonly publicUrl: string;
  readonly secrets: ConstructorParameters<typeof Seals>[0];
  readonly documents: ClientDocuments;
}

/** What is sealed. */
type Sealed = 'client' | 'authorization' | 'code' | 'refresh';

/** Of which a registration is made. */
interface Registration extends ClientMetadata {
  readonly id: string;
}

/** The part of the server that gives applications access to the tool server. Keeps nothing. */
export class AuthorizationServer {
  readonly issuer: string;
  /** For which tokens are: the tool server of this server. */
  readonly resource: string;
  readonly seals: Seals<Sealed>;
  readonly #documents: ClientDocuments;

  constructor({ publicUrl, secrets, documents }: AuthorizationServerOptions) {
    this.issuer = publicUrl;
    this.resource = `${publicUrl}/mcp`;
    this.seals = new Seals(secrets, 'oauth');
    this.#documents = documents;
  }

  /** Registers a client: its id is what it says of itself, sealed. @returns the id by which the client names itself */
  async register(metadata: ClientMetadata): Promise<string> {
    const registration: Registration = { id: newId(), ...metadata };
    return this.seals.seal('client', registration);
  }

  /** Returns the client that names itself so. The error is a sentence. */
  async client(clientId: string): Promise<Result<OAuthClient, string>> {
    if (isDocumentAddress(clientId)) return this.#documents.read(clientId);
    const opened = await this.seals.open<Registration>('client', clientId);
    return opened === null
      ? err('it is neither an address with https nor registered here')
      : ok({ ...opened.content, address: null });
  }

  /** Under which id keys of a client are stored. Null: it is not known. Asks nobody. */
  async idOf(clientId: string): Promise<string | null> {
    if (isDocumentAddress(clientId)) return clientId;
    return (await this.seals.open<Registration>('client', clientId))?.content.id ?? null;
  }
}

/** Null under this token: applications get no access by OAuth. */
export const AUTHORIZATION_SERVER = Symbol('AuthorizationServer');
