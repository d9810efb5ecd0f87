import { createHash } from 'node:crypto';
import { tokenOfKey } from '#features/access';
import { hashSecret, type OrganizationId } from '#platform/kernel';

const ACCESS_MS = 3_600_000;
/** A grant that is not used for so long is over. Milliseconds. */
const REFRESH_MS = 30 * 86_400_000;

/** New tokens of a key, and what is stored of them. */
export interface NewTokens {
  readonly access: string;
  /** A part of the refresh token. */
  readonly refresh: string;
  readonly stored: {
    readonly hash: string;
    readonly start: string;
    readonly accessUntil: number;
    readonly refreshHash: string;
    readonly refreshUntil: number;
  };
}

/** @param random gives 43 characters for each label @param now milliseconds since the Unix epoch */
export function newTokens(
  { organization, id }: { readonly organization: OrganizationId; readonly id: string },
  random: (label: 'access' | 'refresh') => string,
  now: number,
): NewTokens {
  const { secret, hash, start } = tokenOfKey(organization, id, random('access'));
  const refresh = random('refresh');
  const refreshHash = hashSecret(refresh);
  const stored = { hash, start, accessUntil: now + ACCESS_MS, refreshHash, refreshUntil: now + REFRESH_MS };
  return { access: secret, refresh, stored };
}

/** What is sealed in a refresh token. */
export interface RefreshContent {
  readonly organization: OrganizationId;
  /** Of the key. */
  readonly id: string;
  /** Id of the client that may use it. */
  readonly client: string;
  readonly secret: string;
}

/** Whether a verifier is the one of a challenge (RFC 7636, S256). */
export const isVerifierOf = (challenge: string, verifier: string): boolean =>
  createHash('sha256').update(verifier).digest('base64url') === challenge;
