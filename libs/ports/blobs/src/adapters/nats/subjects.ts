/**
 * What a subject `<stream>.<kind>.<organization>.<document>.<name>` holds. b: a blob, or the list of its parts; k: the secret
 * with which it is sealed; c: the parts of an upload; u: the marker of an upload.
 */
export type Kind = 'b' | 'k' | 'c' | 'u';

/** A dot separates tokens in subjects and is allowed in keys; a tilde is not allowed in keys. */
export const tokensOf = (path: string): string => path.replaceAll('.', '~').replaceAll('/', '.');
export const textOf = (token: string): string => token.replaceAll('~', '.');

/** Last token: the name of a blob, or the id of an upload. */
export const nameIn = (subject: string): string => subject.slice(subject.lastIndexOf('.') + 1);
