import type { Selection } from '#features/documents';
import { IsContainerTag, IsContainerTags, IsText, IsTextList, invalid, namedTags, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { DeleteDocuments } from './delete-documents.command.ts';

const MAX_IDS = 10_000;

/** Which documents to erase: exactly one of `ids`, `containerTags` (or `containerTag`) and `filepath`. */
@ShownBy({
  'By ids': { ids: ['note-2', 'note-3'] },
  'By tags': { containerTags: ['obsolete', 'trash'] },
  'By folder': { filepath: '/atlas/old/' },
})
export class DeleteDocumentsInput {
  /** Internal ids or customIds, at most 10,000. */
  @IsTextList()
  ids?: string[];

  /** Every document that carries at least one of these. */
  @IsContainerTags()
  containerTags?: string | string[];

  /** Joined with containerTags. */
  @IsContainerTag()
  containerTag?: string;

  /** Exact, or a prefix if it ends in `/`. */
  @IsText({ min: 1, max: 4096 })
  filepath?: string;
}

/** @throws InputError for none or several selectors, or an empty one */
export function deleteDocuments(principal: Principal, body: DeleteDocumentsInput): DeleteDocuments {
  return new DeleteDocuments(principal, selectionOf(body));
}

function selectionOf({ ids, containerTag, containerTags, filepath }: DeleteDocumentsInput): Selection {
  const isByTags = containerTag !== undefined || containerTags !== undefined;
  const selectors = [ids !== undefined, isByTags, filepath !== undefined].filter((one) => one).length;
  if (selectors !== 1) {
    throw invalid('ids', 'Exactly one of ids, containerTags and filepath is required');
  }
  if (ids !== undefined) {
    if (ids.length === 0) throw invalid('ids', 'ids must not be empty');
    if (ids.length > MAX_IDS) throw invalid('ids', `ids must have at most ${MAX_IDS} entries`);
    return { by: 'ids', ids };
  }
  if (filepath !== undefined) return { by: 'filepath', filepath };
  const tags = namedTags({ containerTag, containerTags });
  if (tags.length === 0) throw invalid('containerTags', 'containerTags must not be empty');
  return { by: 'tags', tags };
}
