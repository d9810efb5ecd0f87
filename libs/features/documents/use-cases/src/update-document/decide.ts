import {
  type ContentInput,
  type DocumentEvent,
  type DocumentState,
  exceedsTagLimits,
  type Live,
  replaceContent,
} from '#features/documents';
import { err, ok, type Result, type TagSelection } from '#platform/kernel';
import { sameMetadata, splitMetadata } from '../metadata.ts';
import { isSameList } from '../same-list.ts';
import type { DocumentUpdate } from './update-document.command.ts';

export interface UpdateDecision {
  readonly events: readonly DocumentEvent[];
  /** The document's tags from the first of these events on. */
  readonly tags: readonly string[];
}

/** The parts of an update that need no processing. */
export type DetailsUpdate = Omit<DocumentUpdate, 'content'>;

/**
 * Fields that have the wanted value already are not recorded; content always is.
 * @param content null: it stays
 * @param writable the tags that the caller may write
 */
export function decideUpdate(
  state: DocumentState,
  details: DetailsUpdate,
  content: ContentInput | null,
  writable: TagSelection,
): Result<UpdateDecision, 'not_found' | 'forbidden' | 'too_many_tags'> {
  if (state.status !== 'live') return err('not_found');
  const tags = details.tags ?? state.tags;
  if (!isSameList(state.tags, tags) && exceedsTagLimits(tags)) return err('too_many_tags');
  if (!mayChangeTags(state.tags, tags, writable)) return err('forbidden');
  const events: DocumentEvent[] = [...detailsChanged(state, details)];
  if (content !== null) events.push(...replaceContent(state, content, false));
  return ok({ events, tags });
}

function* detailsChanged(
  state: Live,
  { tags, metadata, fileName = null, ...details }: DetailsUpdate,
): Generator<DocumentEvent> {
  const changed = Object.entries(details).filter(
    ([name, value]) => value !== null && value !== state[name as keyof typeof details],
  );
  if (fileName !== null && 'file' in state.content && state.content.file.name !== fileName) {
    changed.push(['fileName', fileName]);
  }
  const newMetadata = metadata !== null && !sameMetadata(metadata, state.metadata) ? metadata : null;
  if (changed.length === 0 && newMetadata === null && (tags === null || isSameList(tags, state.tags))) return;
  const [first, ...rest] = splitMetadata(newMetadata);
  yield { type: 'DetailsChanged', payload: { ...Object.fromEntries(changed), ...(first && { metadata: first }) } };
  for (const metadataAdded of rest) yield { type: 'DetailsChanged', payload: { metadataAdded } };
}

/** Who may write only some of the tags can neither add nor remove the others. */
function mayChangeTags(stored: readonly string[], wanted: readonly string[], writable: TagSelection): boolean {
  if (writable === 'all') return true;
  const differing = [
    ...wanted.filter((tag) => !stored.includes(tag)),
    ...stored.filter((tag) => !wanted.includes(tag)),
  ];
  return differing.every((tag) => writable.includes(tag));
}
