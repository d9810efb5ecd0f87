export {
  type AgreedAuthorization,
  type AuthorizationRefusal,
  type AuthorizationWish,
  answerAddress,
  checkWish,
  isResource,
  type PendingAuthorization,
} from './authorization.ts';
export { AUTHORIZATION_SERVER, AuthorizationServer } from './authorization-server.ts';
export { ClientDocuments } from './client-documents.ts';
export { nameOf, REDIRECT_URIS, redirectUrisOf } from './clients.ts';
export { isProgram, placeOf } from './redirect-uris.ts';
export { type Access, SCOPES, scopeOf } from './scopes.ts';
export { isVerifierOf, type NewTokens, newTokens, type RefreshContent } from './tokens.ts';
