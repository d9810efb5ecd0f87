import type { Connection } from '#features/connections';
import { contentHash, type Metadata } from '#platform/kernel';
import type { SourceItem } from '#ports/connectors';
import type { ItemDetails } from './options.ts';

/** As long as a path of a document may be. */
const MOST_PATH = 4_096;
const MOST_TITLE = 255;

/** What a document shows of an item. What the source says counts more than what the connection was given. */
export function detailsOf({ metadata, provider, id }: Connection, item: SourceItem): ItemDetails {
  const { link, owner, createdAt, updatedAt } = item;
  const stated = Object.entries({ link, owner, sourceCreatedAt: createdAt, sourceUpdatedAt: updatedAt }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  return {
    title: item.title.slice(0, MOST_TITLE),
    filepath: item.path.slice(0, MOST_PATH),
    metadata: { ...metadata, provider, connectionId: id, ...Object.fromEntries(stated) } as Metadata,
  };
}

/** Equal for details that are equal. */
export const detailsHash = ({ title, filepath, metadata }: ItemDetails): string =>
  contentHash(title, filepath, JSON.stringify(metadata)).slice(0, 32);
