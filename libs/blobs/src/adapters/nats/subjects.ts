/** A dot separates tokens in subjects and is allowed in keys; a tilde is not allowed in keys. */
export const tokensOf = (path: string): string => path.replaceAll('.', '~').replaceAll('/', '.');
export const textOf = (token: string): string => token.replaceAll('~', '.');
