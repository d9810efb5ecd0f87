import { contentHash } from '#platform/kernel';

/** Every name is derived from the organization: an id of another one names a stream that does not exist. */
export const documentStream = (organization: string, id: string): string => `document-${organization}_${id}`;

/** Holds the first claim of a customId. */
export const customIdStream = (organization: string, customId: string): string =>
  `customid-${contentHash(organization, customId)}`;

/** Holds the claims of a customId for an exact set of tags, from the second document with the customId on. */
export const customIdInTagsStream = (
  organization: string,
  { customId, tags }: { readonly customId: string; readonly tags: readonly string[] },
): string => `customid-${contentHash(organization, customId, ...[...tags].sort())}`;

export const idempotencyStream = (organization: string, key: string): string =>
  `idempotency-${contentHash(organization, key)}`;

/** The stream of a bulk deletion. */
export const deletionStream = (organization: string, id: string): string => `deletion-${organization}_${id}`;

/** The bulk deletions that are not finished, of all organizations. */
export const OPEN_DELETIONS_STREAM = 'deletions';

/** Holds the key of links to files. */
export const linkStream = (organization: string): string => `links-${organization}`;

/** Prefix of the blob keys of a document; ends in `/`. */
export const blobFolder = (organization: string, id: string): string => `${organization}/${id}/`;

/** An imported document has the same id in several organizations. */
export interface DocumentName {
  readonly organization: string;
  readonly id: string;
}

/** @returns the parts of a document stream's name; null for any other stream */
export function parseDocumentStream(stream: string): DocumentName | null {
  const match = /^document-([A-Za-z0-9]+)_([A-Za-z0-9]+)$/.exec(stream);
  return match ? { organization: match[1] as string, id: match[2] as string } : null;
}

const FORMER = '/former';

/** Owner of the vectors that a document has left to its former units, beside those of its stream. */
export const formerVectorsOf = (stream: string): string => `${stream}${FORMER}`;

/** Returns the stream of the document whose vectors an owner has; null for any other owner. */
export function documentOfVectors(owner: string): string | null {
  const stream = owner.endsWith(FORMER) ? owner.slice(0, -FORMER.length) : owner;
  return parseDocumentStream(stream) === null ? null : stream;
}
