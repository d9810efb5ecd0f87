import { err, type JsonObject, type Metadata, type OrganizationId, ok, type Result } from '#platform/kernel';
import type { Permission } from '#ports/connectors';
import { Seals, type Secrets } from '#ports/secrets';
import { mayReturnTo, withOutcome } from './return-address.ts';

/** A connection that a person is to permit at the provider. */
export interface BegunConnection {
  readonly organization: OrganizationId;
  /** Of the connection that will be. */
  readonly id: string;
  readonly provider: string;
  /** Who has begun it, as events name it. */
  readonly actor: string;
  readonly tags: readonly string[];
  readonly setup: JsonObject;
  readonly metadata: Metadata | null;
  readonly documentLimit: number | null;
  /** As of `ConnectionCreated`. */
  readonly filters: JsonObject;
  /** Null: the browser stays on a page of this server. */
  readonly redirectUrl: string | null;
  /** Proof key of the departure. */
  readonly verifier: string;
  /** Milliseconds since the Unix epoch. */
  readonly until: number;
}

/** What the provider has permitted, and the person has not yet confirmed here. */
export interface PermittedConnection extends BegunConnection {
  readonly permission: Permission;
}

/** Lets a person choose what one connection reads. */
export interface PickerLink {
  readonly organization: OrganizationId;
  readonly connection: string;
  /** Who has asked for it, as events name it. */
  readonly actor: string;
  readonly redirectUrl: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly until: number;
}

interface Contents {
  readonly begun: BegunConnection;
  readonly permitted: PermittedConnection;
  readonly picker: PickerLink;
}

/** How long each counts. Milliseconds. */
const LIFE_MS = { begun: 3_600_000, permitted: 600_000, picker: 3_600_000 } as const;

/** Of an address that programs between this server and the browser pass on. Characters. */
const MAX_STATE = 2_400;

export interface ConnectionFlowsOptions {
  /** Address of this server, without a slash at its end. */
  readonly publicUrl: string;
  readonly redirects: readonly string[];
  readonly secrets: Pick<Secrets, 'get' | 'put' | 'list'>;
  readonly clock: { now(): number };
}

/**
 * The ways of people who permit and choose what is read. Nothing is stored meanwhile: what is known goes with the browser,
 * sealed, so that any process ends what another one has begun.
 */
export class ConnectionFlows {
  readonly #options: ConnectionFlowsOptions;
  readonly #seals: Seals<keyof Contents>;

  constructor(options: ConnectionFlowsOptions) {
    this.#options = options;
    this.#seals = new Seals(options.secrets, 'connections');
  }

  /** Where the provider sends people back to. */
  callbackOf(provider: string): string {
    return `${this.#options.publicUrl}/v3/connections/auth/callback/${provider}`;
  }

  mayReturnTo(address: string): boolean {
    return mayReturnTo(address, this.#options.redirects);
  }

  /** `too_long`: tags and metadata do not fit into the address to which the provider sends people back. */
  async begin(begun: Omit<BegunConnection, 'until'>): Promise<Result<string, 'too_long'>> {
    const state = await this.#seal('begun', begun);
    return state.length > MAX_STATE ? err('too_long') : ok(state);
  }

  /** Returns the address of the page on which the person confirms. */
  async confirmation(permitted: Omit<PermittedConnection, 'until'>): Promise<string> {
    return `${this.#options.publicUrl}/connect/confirm#${await this.#seal('permitted', permitted)}`;
  }

  /** Returns the address of the page on which a person chooses. */
  async picker(link: Omit<PickerLink, 'until'>): Promise<string> {
    return `${this.#options.publicUrl}/connect/picker#${await this.#seal('picker', link)}`;
  }

  /** Null: it was not made here for this, or is too old. */
  async open<Kind extends keyof Contents>(kind: Kind, text: string): Promise<Contents[Kind] | null> {
    const content = (await this.#seals.open<Contents[Kind]>(kind, text))?.content ?? null;
    return content !== null && this.#options.clock.now() < content.until ? content : null;
  }

  /** Returns where the browser goes when a connection was made, or was not. */
  connected(redirectUrl: string | null, connection: string): string {
    return redirectUrl === null ? this.#page('connected') : withOutcome(redirectUrl, { connectionId: connection });
  }

  failed(redirectUrl: string | null, error: string): string {
    return redirectUrl === null ? this.#page(error) : withOutcome(redirectUrl, { error });
  }

  #page(outcome: string): string {
    return withOutcome(`${this.#options.publicUrl}/connect/confirm`, { outcome });
  }

  #seal<Kind extends keyof Contents>(kind: Kind, content: Omit<Contents[Kind], 'until'>): Promise<string> {
    return this.#seals.seal(kind, { ...content, until: this.#options.clock.now() + LIFE_MS[kind] });
  }
}
