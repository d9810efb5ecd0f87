import { randomBytes } from 'node:crypto';
import { contentHash } from '#platform/kernel';

/** 256 random bits cannot be guessed, so a fast hash is enough. */
const RANDOM_BYTES = 32;

/** Generates the token of an invitation: to show once. */
export const newToken = (): string => `inv_${randomBytes(RANDOM_BYTES).toString('base64url')}`;

/** What is stored of a token. */
export const hashToken = (token: string): string => contentHash('invitation', token);
