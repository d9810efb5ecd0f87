import type { Json } from '#platform/kernel';
import type { Live } from './state.ts';
import { blobFolder } from './streams.ts';

/** Fields that hold texts and objects of callers. Nothing in them refers to a blob. */
const OF_CALLERS: ReadonlySet<string> = new Set(['metadata', 'metadataAdded', 'frontMatter', 'inline']);

/** The keys of the blobs that a document consists of. */
export const blobsOf = (document: Live): ReadonlySet<string> =>
  new Set(blobsIn(document as unknown as Json, blobFolder(document.organization, document.id)));

/** The same of all versions of a document, as its events name them. What was removed with a replaced file is not among them. */
export function blobsNamed(
  organization: string,
  id: string,
  events: Iterable<{ readonly type: string; readonly payload: Json }>,
): ReadonlySet<string> {
  const folder = blobFolder(organization, id);
  const named = new Set<string>();
  for (const { type, payload } of events) {
    for (const blob of blobsIn(payload, folder)) {
      if (type === 'FileRemoved') named.delete(blob);
      else named.add(blob);
    }
  }
  return named;
}

function blobsIn(value: Json | undefined, folder: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    if (OF_CALLERS.has(name)) return [];
    if (name === 'blob' && typeof field === 'string') return field.startsWith(folder) ? [field] : [];
    return blobsIn(field, folder);
  });
}
