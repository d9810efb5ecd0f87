import {
  type DocumentState,
  type DocumentTexts,
  documentStream,
  isMemoryDocument,
  type Live,
  type MemoryDocument,
} from '#features/documents';
import { embeddedTexts, ownSpace } from '#features/vector-spaces/model';
import type { OrganizationId } from '#platform/kernel';
import { documentHeader } from '#processing/extraction';
import type { Cuts, DocumentChange, DocumentRow } from '#read-side/views';
import { cutUnits } from './cut-units.ts';
import type { RowDraft } from './row-draft.ts';
import { pieceRow, type TouchedDocument, touchedRow, unitsRead } from './touched-rows.ts';
import { unlessLost } from './unless-lost.ts';

/** A stream as far as it was folded. */
export interface Folded {
  readonly state: DocumentState;
  readonly revision: number;
}

interface TouchedSources {
  readonly texts: DocumentTexts;
  /** Vector space of the views. */
  readonly space: string;
  /** Folds a stream up to the events that are projected. */
  stateOf(stream: string): Promise<Folded>;
}

/** What follows for a document from what callers did with its memories. */
export interface Touched {
  readonly leftOut: Cuts['leftOut'];
  readonly pieces: readonly RowDraft[];
  readonly memories: readonly (RowDraft | { readonly change: DocumentChange })[];
}

/** A memory of a document, with its stream as far as it was folded. */
interface ProjectedMemory {
  readonly live: MemoryDocument;
  readonly revision: number;
}

export interface TouchedMemories {
  readonly memories: readonly ProjectedMemory[];
  /** Ids of those whose streams are gone: the document is about to be too, or cannot be read. */
  readonly erased: ReadonlySet<string>;
}

/**
 * Returns the rows of the touched memories of a document, and what of its units is left out. Of a memory whose passage is
 * not in the document there is no row.
 * @param only ids of memories whose rows are wanted. Null: of all
 */
export async function touchedBy(
  sources: TouchedSources,
  document: Live,
  row: DocumentRow,
  only: ReadonlySet<string> | null,
): Promise<Touched> {
  const { texts } = sources;
  const space = ownSpace(document) ?? sources.space;
  const { memories, erased } = await touchedMemories(sources, document);
  const units = document.memories === null ? [] : await unitsRead(document, texts);
  const cuts = cutUnits(
    units,
    memories.map(({ live }) => live.memory),
    erased,
  );
  const plain = units.map(({ unit }) => unit);
  const embedded = document.vectorSpace === null ? null : embeddedTexts(space, document, plain);
  const header = documentHeader(document.unitsDate);
  const touched: TouchedDocument = { document, row, units, header, space, viewsSpace: sources.space, embedded };
  const places = new Map(units.flatMap((read) => (read.unit.kind === 'memory' ? [[read.unit.id, read]] : [])));
  const organization = document.organization as OrganizationId;
  // A decision about a sentence concerns each memory that has it.
  const decided = new Set(memories.flatMap(({ live }) => (only?.has(live.id) ? sentencesIn(live) : [])));
  const isWanted = (live: MemoryDocument) => only === null || sentencesIn(live).some((hash) => decided.has(hash));
  return {
    leftOut: cuts.leftOut,
    pieces: cuts.remains.map((one) => pieceRow(touched, one, cuts)),
    memories: memories
      .filter(({ live }) => isWanted(live))
      .map((memory) => {
        const { live, revision } = memory;
        const read = places.get(live.id);
        const draft = read && touchedRow(touched, read, memory, cuts);
        if (draft && draft.units.length > 0) return draft;
        return { change: { kind: 'delete', organization, id: live.id, revision } };
      }),
  };
}

const sentencesIn = ({ memory: { passage } }: MemoryDocument): readonly string[] => passage?.sentences ?? [];

/** Returns the memories of a document that have streams. */
export async function touchedMemories(
  { stateOf }: Pick<TouchedSources, 'stateOf'>,
  { organization, id: documentId, touched }: Live,
): Promise<TouchedMemories> {
  const found = await Promise.all(
    touched.map(async (id) => ({ id, folded: await unlessLost(() => stateOf(documentStream(organization, id))) })),
  );
  const isGone = ({ folded }: (typeof found)[number]) => 'lost' in folded || folded.state.status === 'deleted';
  const erased = new Set(found.filter(isGone).map(({ id }) => id));
  const memories = found.flatMap(({ folded }) => {
    if ('lost' in folded) return [];
    const { state, revision } = folded;
    if (!isMemoryDocument(state)) return [];
    // An import may have given the ids to a copy of the document.
    return state.memory.passage?.documentId === documentId ? [{ live: state, revision }] : [];
  });
  return { memories, erased };
}
