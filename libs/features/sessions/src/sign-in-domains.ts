import type { OrganizationId } from '#platform/kernel';

/** By the part of an address after the @, in lower case: the organization whose member everybody with such an address becomes. */
export type SignInDomains = ReadonlyMap<string, OrganizationId>;

export const SIGN_IN_DOMAINS = Symbol('SignInDomains');
