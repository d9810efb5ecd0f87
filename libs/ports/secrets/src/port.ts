/** Where a secret belongs. Names are made of ids, never of content: they are stored as they are. */
export interface SecretName {
  readonly organization: string;
  /** Parts joined by `/`, the owner first, e.g. `connectors/<id>/token`. */
  readonly name: string;
}

export interface StoredSecret extends SecretName {
  readonly sealed: Uint8Array;
  /** When its value was set. Milliseconds since the Unix epoch. */
  readonly changedAt: number;
}

/**
 * Sealed secrets of an installation, apart from the log. What is replaced or removed is overwritten where it was stored. Calls
 * reject while the store cannot be reached; a write may have been made.
 */
export interface SecretStore {
  read(name: SecretName): Promise<StoredSecret | null>;
  /** Durable when it resolves; a former value is overwritten. */
  write(secret: StoredSecret): Promise<void>;
  /** Writes a secret whose sealed bytes are still those that were read. Returns false, with nothing written, if they are not. */
  replace(secret: StoredSecret, sealed: Uint8Array): Promise<boolean>;
  remove(name: SecretName): Promise<void>;
  /** Removes everything of an organization. */
  removeAll(organization: string): Promise<void>;
  /** Returns all secrets, or those of an organization, in the order of organizations and names. */
  list(organization: string | null): Promise<readonly StoredSecret[]>;
  close(): Promise<void>;
}
