import { nameOf, REDIRECT_URIS, redirectUrisOf } from '#features/oauth';
import { IsPathList, IsText, invalid, Required, ShownBy } from '#platform/input';
import { RegisterClient } from './register-client.command.ts';

/** What an application says of itself, in the names of RFC 7591. Other fields are ignored. */
@ShownBy({
  'A program on the device of a person': {
    client_name: 'Notebook',
    redirect_uris: ['http://127.0.0.1/callback'],
    token_endpoint_auth_method: 'none',
  },
})
export class RegisterClientInput {
  /** For people. Default: `An application`. */
  @IsText({ max: 1_000 })
  client_name?: string;

  /** Where browsers may be sent back to: with https, with http of loopback, or with a scheme of a program. */
  @Required()
  @IsPathList()
  redirect_uris!: string[];

  /** The server gives no secrets: whatever is sent, it is `none`. */
  @IsText({ max: 100 })
  token_endpoint_auth_method?: string;
}

/** @throws InputError for addresses that no application may have */
export function registerClient({ client_name: name, redirect_uris: uris }: RegisterClientInput): RegisterClient {
  const redirectUris = redirectUrisOf(uris);
  if (redirectUris === null) throw invalid('redirect_uris', REDIRECT_URIS);
  return new RegisterClient(nameOf(name, 'An application'), redirectUris);
}
