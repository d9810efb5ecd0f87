import type { JsonObject } from '#platform/kernel';

/** What a person has permitted at the provider. */
export interface Permission {
  /** By which the person knows the account, e.g. its e-mail address. */
  readonly account: string;
  /** Added to the setup of the connection. */
  readonly setup: JsonObject;
  /** Added to its secrets. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** Where the provider sends the browser back to. */
export interface Departure {
  /** Comes back with the browser. */
  readonly state: string;
  /** Proof key (PKCE): 43 to 128 characters that nobody else knows. */
  readonly verifier: string;
  readonly redirectUri: string;
}

/** How a person permits the server to read a source, with OAuth. Keeps nothing. */
export interface Authorization {
  /** Returns the address of the provider to which the browser goes. */
  addressOf(departure: Departure): Promise<string>;
  /**
   * Exchanges the code with which the browser has come back.
   * @throws SourceLostError if the provider, or the person, has not permitted what is needed; FetchFailedError
   */
  permissionOf(arrival: Omit<Departure, 'state'> & { readonly code: string }): Promise<Permission>;
  /** Gives a permission back that no connection uses. @throws FetchFailedError */
  decline(permission: Permission): Promise<void>;
}

/** A notification of a provider, by its headers in lower case. */
export type NotificationHeaders = Readonly<Record<string, string | undefined>>;

export interface Notified {
  readonly organization: string;
  readonly connection: string;
  /** False: it says that notifications will come, and nothing has changed. */
  readonly hasChanged: boolean;
}
