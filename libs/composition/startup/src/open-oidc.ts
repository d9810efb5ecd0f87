import type { KnownOrganizations } from '#features/access';
import type { SignInDomains } from '#features/sessions';
import { type Config, ConfigError } from '#platform/config';
import type { Clock, OrganizationId } from '#platform/kernel';
import type { OidcProvider } from '#platform/oidc';

/** Opens the provider of the settings; null: there is none. It is asked when somebody signs in. The library is loaded only here. */
export async function openOidc(
  { oidcIssuer, oidcClientId, oidcClientSecret, publicUrl }: Config,
  { clock, logger }: { readonly clock: Clock; readonly logger: { warn(message: string): void } },
): Promise<OidcProvider | null> {
  if (oidcIssuer === null || oidcClientId === null || oidcClientSecret === null || publicUrl === null) return null;
  const { OpenIdProvider } = await import('#platform/oidc');
  return new OpenIdProvider({
    ...{ issuer: oidcIssuer, clientId: oidcClientId, clientSecret: oidcClientSecret },
    ...{ callbackUrl: `${publicUrl}/v3/session/oidc/callback`, clock, logger },
  });
}

/** @throws ConfigError for an organization that never was; one that is deleted takes nobody in */
export function signInDomainsOf({ oidcDomains }: Config, organizations: KnownOrganizations): SignInDomains {
  const known = new Set<string>([...organizations.all().map(({ id }) => id), ...organizations.deleted()]);
  for (const [domain, organization] of oidcDomains) {
    if (known.has(organization)) continue;
    throw new ConfigError(
      `MNEME_OIDC_DOMAINS gives ${domain} to the organization ${organization}, which does not exist. "mneme organizations list" shows the ids.`,
    );
  }
  return new Map(oidcDomains.map(([domain, organization]) => [domain, organization as OrganizationId]));
}
