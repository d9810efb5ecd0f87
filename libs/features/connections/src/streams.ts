export const connectionStream = (organization: string, id: string): string => `connection-${organization}_${id}`;

/** Holds what has become of items. @param segment from 1 */
export const itemsStream = (organization: string, id: string, segment: number): string =>
  `connectionitems-${organization}_${id}_${segment}`;

export interface ConnectionName {
  readonly organization: string;
  readonly id: string;
}

/** @returns the parts of a connection stream's name; null for any other stream */
export function parseConnectionStream(stream: string): ConnectionName | null {
  const match = /^connection-([A-Za-z0-9]+)_([A-Za-z0-9]+)$/.exec(stream);
  return match ? { organization: match[1] as string, id: match[2] as string } : null;
}

/** @returns the parts of the name of a stream of items, and what it is without the segment; null for any other stream */
export function parseItemsStream(
  stream: string,
): (ConnectionName & { readonly owner: string; readonly segment: number }) | null {
  const match = /^(connectionitems-([A-Za-z0-9]+)_([A-Za-z0-9]+))_(\d+)$/.exec(stream);
  if (match === null) return null;
  const [, owner, organization, id, segment] = match as unknown as readonly [string, string, string, string, string];
  return { owner, organization, id, segment: Number(segment) };
}
