import { Command } from '@nestjs/cqrs';

/** Ends the grant of an access or refresh token, which is the credential. Another token changes nothing. */
export class RevokeToken extends Command<void> {
  constructor(readonly token: string) {
    super();
  }
}
