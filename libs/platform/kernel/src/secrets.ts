import { hash, randomBytes } from 'node:crypto';

const RANDOM_BYTES = 32;

/** Returns 256 random bits, as 43 characters of base64url. They cannot be guessed, so a fast hash of them may be stored. */
export const randomSecret = (): string => randomBytes(RANDOM_BYTES).toString('base64url');

/** What is stored of a secret: its SHA-256, as 64 hexadecimal characters. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex');
