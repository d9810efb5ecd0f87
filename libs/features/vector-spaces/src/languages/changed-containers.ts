import { parseDocumentStream } from '#features/documents';
import type { RecordedEvent } from '#ports/event-store';
import type { DocumentName } from '../change/each-document.ts';

/** Documents of a container that are remembered one by one; of more, all of the container are looked at. */
const MOST_DOCUMENTS = 1_000;

/** After these a document may lack vectors in the space of other languages, or its container may have become mixed. */
export const CHANGES: readonly string[] = [
  ...['DocumentIndexed', 'PageUnchanged', 'UnitsEmbedded', 'DetailsChanged', 'AskedInOtherLanguage'],
];

/** All documents of an organization that have a tag. */
export interface Container {
  readonly organization: string;
  readonly tag: string;
}

/** The changes of a container. Null: of too many documents to name them. */
export type ChangedDocuments = ReadonlyMap<string, DocumentName> | null;

/** Collects what has changed, by containers. */
export class ChangedContainers {
  readonly #changed = new Map<string, { readonly container: Container; documents: Map<string, DocumentName> | null }>();

  add({ stream, envelope: { organization, tags } }: RecordedEvent): void {
    const name = parseDocumentStream(stream);
    if (name === null) return;
    for (const tag of tags) {
      const key = JSON.stringify([organization, tag]);
      const found = this.#changed.get(key) ?? { container: { organization, tag }, documents: new Map() };
      this.#changed.set(key, found);
      found.documents?.set(stream, name);
      if ((found.documents?.size ?? 0) > MOST_DOCUMENTS) found.documents = null;
    }
  }

  /** Returns everything that was collected, and begins again. */
  take(): readonly { readonly container: Container; readonly documents: ChangedDocuments }[] {
    const taken = [...this.#changed.values()];
    this.#changed.clear();
    return taken;
  }
}
