import type { DocumentState } from '#features/documents';
import type { Stage } from '#read-side/views';

/** The answer to a command that has a document processed. */
export interface AcceptedDocument {
  readonly id: string;
  readonly status: Stage;
}

/** The answer to a command that adds content. */
export interface AcceptedContent extends AcceptedDocument {
  /** Whether the document began with this request, or with another attempt of it. */
  readonly isNew: boolean;
}

/** Nothing is left to do for a document that was deleted in the meantime. */
export function acceptedAs(id: string, state: DocumentState): AcceptedDocument {
  return { id, status: state.status === 'live' ? state.stage : 'done' };
}
