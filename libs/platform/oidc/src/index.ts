export { type Account, OIDC_PROVIDER, type OidcProvider, type OidcRefusal } from './oidc-provider.ts';
export { OpenIdProvider } from './openid-provider.ts';
