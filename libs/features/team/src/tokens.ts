import { contentHash, randomSecret } from '#platform/kernel';

/** Generates the token of an invitation: to show once. */
export const newToken = (): string => `inv_${randomSecret()}`;

/** What is stored of a token. */
export const hashToken = (token: string): string => contentHash('invitation', token);
