/** What an application may do: `write` includes `read`. */
export type Access = 'read' | 'write';

export const SCOPES: readonly Access[] = ['read', 'write'];

/** What a request asks for; scopes that are not known are left out. Null: nothing is left. @param scope undefined: everything */
export function accessIn(scope: string | undefined): Access | null {
  const named = scope?.split(' ').filter((one) => one !== '') ?? [];
  if (named.length === 0 || named.includes('write')) return 'write';
  return named.includes('read') ? 'read' : null;
}

export const scopeOf = (access: Access): string => (access === 'write' ? 'read write' : 'read');
