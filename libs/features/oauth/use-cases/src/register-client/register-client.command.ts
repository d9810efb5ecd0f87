import { Command } from '@nestjs/cqrs';

/** A client that has registered itself. */
export interface RegisteredClient {
  /** By which it names itself from now on. */
  readonly clientId: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
}

/** Registers an application that has no metadata at an address (RFC 7591). Anybody may; nothing of it is kept. */
export class RegisterClient extends Command<RegisteredClient> {
  constructor(
    readonly name: string,
    readonly redirectUris: readonly string[],
  ) {
    super();
  }
}
