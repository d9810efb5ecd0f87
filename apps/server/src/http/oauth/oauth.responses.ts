import { type AuthorizationServer, SCOPES } from '#features/oauth';
import type { GrantedTokens, RegisteredClient } from '#features/oauth/use-cases';

/** Answers about applications. The classes are types only; none is instantiated. */

/** What applications read of the authorization server (RFC 8414). */
export class AuthorizationServerMetadata {
  /** Address of this server, which is also `iss` in what the browser brings back. */
  readonly issuer!: string;
  /** The page that asks the person. */
  readonly authorization_endpoint!: string;
  /** Where codes and refresh tokens are exchanged. */
  readonly token_endpoint!: string;
  /** Where tokens are given back. */
  readonly revocation_endpoint!: string;
  /** Where applications register themselves. */
  readonly registration_endpoint!: string;
  /** Always `code`. */
  readonly response_types_supported!: readonly string[];
  /** Always `query`. */
  readonly response_modes_supported!: readonly string[];
  /** `authorization_code` and `refresh_token`. */
  readonly grant_types_supported!: readonly string[];
  /** Always `S256`. */
  readonly code_challenge_methods_supported!: readonly string[];
  /** Always `none`: applications have no secret. */
  readonly token_endpoint_auth_methods_supported!: readonly string[];
  /** Always `none`. */
  readonly revocation_endpoint_auth_methods_supported!: readonly string[];
  /** `read` and `write`. */
  readonly scopes_supported!: readonly string[];
  /** Always true: the address of its metadata can be the id of an application. */
  readonly client_id_metadata_document_supported!: boolean;
  /** Always true. */
  readonly authorization_response_iss_parameter_supported!: boolean;
}

export const metadataOf = ({ issuer }: AuthorizationServer): AuthorizationServerMetadata => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  registration_endpoint: `${issuer}/oauth/register`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  scopes_supported: SCOPES,
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
});

/** An application. */
export class AskingClient {
  /** As it calls itself. */
  readonly name!: string;
  /** Of its metadata. Null: the application has registered itself, so nobody says whose it is. */
  readonly address!: string | null;
}

/** What the person is asked. */
export class AskedAccess {
  /** The application that asks. */
  readonly client!: AskingClient;
  /** Name of the organization of the person. */
  readonly organization!: string;
  /** Host, or scheme of a program, to which the browser goes back. */
  readonly returnsTo!: string;
  /** Whether that is a program on the device of the person. */
  readonly isProgram!: boolean;
  /** The most that it may get. */
  readonly access!: 'read' | 'write';
  /** To send with the answer, within ten minutes. */
  readonly request!: string;
}

/** The person has answered. */
export class AnsweredAccess {
  /** Address of the application to which the browser goes back with the answer. */
  readonly location!: string;
}

/** The tokens of an application. */
export class IssuedTokens {
  /** The value for `Authorization: Bearer` at `/mcp`, and nowhere else. */
  readonly access_token!: string;
  /** Always `Bearer`. */
  readonly token_type!: string;
  /** Seconds until the access token is refused. */
  readonly expires_in!: number;
  /** For the next exchange; it counts once, within 30 days. */
  readonly refresh_token!: string;
  /** What the person has permitted: `read`, or `read write`. */
  readonly scope!: string;
}

export const issuedTokens = ({ access, expiresIn, refresh, scope }: GrantedTokens): IssuedTokens => ({
  ...{ access_token: access, token_type: 'Bearer', expires_in: expiresIn },
  ...{ refresh_token: refresh, scope },
});

/** A registered application (RFC 7591). */
export class ClientRegistration {
  /** By which it names itself from now on. It does not expire. */
  readonly client_id!: string;
  /** As the person sees it. */
  readonly client_name!: string;
  /** Where browsers may be sent back to. */
  readonly redirect_uris!: readonly string[];
  /** Always `none`. */
  readonly token_endpoint_auth_method!: string;
  /** `authorization_code` and `refresh_token`. */
  readonly grant_types!: readonly string[];
  /** Always `code`. */
  readonly response_types!: readonly string[];
}

export const clientRegistration = ({ clientId, name, redirectUris }: RegisteredClient): ClientRegistration => ({
  ...{ client_id: clientId, client_name: name, redirect_uris: redirectUris, token_endpoint_auth_method: 'none' },
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
});
