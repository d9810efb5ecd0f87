import { Memories, type ModelMemory } from './memories.ts';
import { Passages } from './passages.ts';
import { saidByOthers } from './text.ts';
import { applyText, type Change } from './text-change.ts';

/**
 * The contract as a program of one page: what documents and tags there are after a sequence of requests. It knows nothing
 * of events, stages, views or engines, and every request is carried out exactly once, whatever happened on its way.
 */

export type Metadata = Readonly<Record<string, string | number | boolean>>;

export interface ModelDocument {
  id: string;
  customId: string | null;
  content: string;
  /** Where texts begin in the content that were appended as deltas. */
  borders: readonly number[];
  tags: string[];
  metadata: Metadata | null;
  filepath: string | null;
  /** Text of the uploaded file; null: none, or one that cannot be read. */
  file: string | null;
  /** It came as a file, whatever was added to it since. */
  isFile: boolean;
  /** What was uploaded cannot be read, and nothing else was sent since. */
  isUnreadable: boolean;
  /** The body whose text the last write appended as a delta. */
  lastDelta: Sent | null;
}

/** What an add names a document by. */
export interface Name {
  readonly customId: string | null;
  /** Empty: none are named. */
  readonly tags: readonly string[];
}

/** What an add sends. */
export interface Sent extends Name {
  readonly content: string;
  readonly metadata: Metadata | null;
}

export interface Patch {
  readonly content?: string;
  readonly customId?: string;
  readonly tags?: readonly string[];
  readonly metadata?: Metadata;
  readonly filepath?: string;
}

export const DEFAULT_TAG = 'sm_project_default';

const isToolFile = (metadata: Metadata | null): boolean => metadata?.claude_memory_type === 'file';

export class Model {
  readonly documents: ModelDocument[] = [];
  /** Those that were recorded directly. */
  readonly memories = new Memories();
  /** Those of documents. */
  readonly passages = new Passages();
  /** Ids of documents that were deleted. */
  readonly deleted = new Set<string>();
  /**
   * CustomIds that a document may have lost while a process ended: the documents that they name then are told apart from
   * such that are about to get them after a minute.
   */
  readonly unsettledNames = new Set<string>();
  /** Names that were set on tags. */
  readonly tagNames = new Map<string, string>();

  /** Returns document n modulo their number, of those that fit; undefined: none fits. */
  pick(n: number, fits: (document: ModelDocument) => boolean = () => true): ModelDocument | undefined {
    const fitting = this.documents.filter(fits);
    return fitting[n % fitting.length];
  }

  /** Documents with a customId, the oldest first. */
  named(customId: string): readonly ModelDocument[] {
    return this.documents.filter((one) => one.customId === customId);
  }

  /** The document to which an add goes. Undefined: it begins a new one. */
  destination({ customId, tags }: Name): ModelDocument | undefined {
    if (customId === null) return undefined;
    const named = this.named(customId);
    if (tags.length === 0 && named.length === 1) return named[0];
    return named.find((one) => areSame(one.tags, orDefault(tags)));
  }

  /**
   * The document that a customId addresses. Undefined: none, or several.
   * @param tag picks those that carry it, and of several the one that carries no other. Null: none is picked
   */
  addressed(customId: string, tag: string | null): ModelDocument | undefined {
    const fitting = this.named(customId).filter(({ tags }) => tag === null || tags.includes(tag));
    if (fitting.length === 1) return fitting[0];
    return tag === null ? undefined : this.deletedBy(customId, tag);
  }

  /** The document that a deletion by customId addresses. A tag picks the document that carries only this tag. */
  deletedBy(customId: string, tag: string | null): ModelDocument | undefined {
    if (tag === null) return this.addressed(customId, tag);
    const alone = this.named(customId).filter(({ tags }) => areSame(tags, [tag]));
    return alone.length === 1 ? alone[0] : undefined;
  }

  /** Files of a foreign format are not read. */
  statusOf({ isUnreadable }: ModelDocument): 'done' | 'failed' {
    return isUnreadable ? 'failed' : 'done';
  }

  /** Tags that a document or a memory carries, or on which something is set. */
  tags(): string[] {
    const carried = [...this.documents.flatMap(({ tags }) => tags), ...this.memories.all.map(({ tag }) => tag)];
    return [...new Set([...carried, ...this.tagNames.keys()])].sort();
  }

  /**
   * @param id of the answer
   * @param isRepeated row 2: the text was taken for the repetition of the last delta
   */
  add(id: string, sent: Sent, isRepeated = false): ModelDocument {
    const { content, metadata } = sent;
    const known = this.destination(sent);
    if (known === undefined) return this.#create(id, sent);
    if (isRepeated) {
      this.#setMetadata(known, metadata);
      return known;
    }
    const overwrites = isToolFile(known.metadata) && isToolFile(metadata);
    const { kind, stored, delta }: Change = known.isUnreadable
      ? { kind: 'replaced', stored: content }
      : applyText(known.content, content, overwrites);
    if (delta !== undefined) this.#restore(known, saidByOthers(delta));
    if (kind === 'grown') {
      const part = known.borders.at(-1) ?? 0;
      this.#restore(known, saidByOthers(stored.slice(part), known.content.length - part));
    }
    if (kind === 'none' && this.passages.left(known.id, known.content) === '') this.#restore(known, content);
    const detailed = this.#setMetadata(known, metadata);
    if (kind === 'replaced') known.borders = [];
    if (kind === 'delta') {
      known.borders = [...known.borders, known.content.length];
      known.lastDelta = sent;
    } else if (kind !== 'none' || detailed) known.lastDelta = null;
    known.content = stored;
    known.isUnreadable = false;
    return known;
  }

  /** Whether a file is refused, because the document that it is for came as a text. */
  refusesFile(name: Name): boolean {
    return this.destination(name)?.isFile === false;
  }

  /** @param text null: the file cannot be read */
  upload(id: string, text: string | null, sent: Omit<Sent, 'content'>): ModelDocument {
    const known = this.destination(sent);
    const content = text ?? '';
    if (known === undefined) {
      const created = this.#create(id, { ...sent, content });
      return Object.assign(created, { file: text, isFile: true, isUnreadable: text === null });
    }
    const isSame = text !== null && text === known.file;
    if (this.#setMetadata(known, sent.metadata) || !isSame) known.lastDelta = null;
    if (!isSame) Object.assign(known, { content, borders: [], file: text, isUnreadable: text === null });
    return known;
  }

  /** @returns false: it would come to the customId and the tags of another document */
  patch(document: ModelDocument, { content, customId, tags, metadata, filepath }: Patch): boolean {
    const name = { customId: customId ?? document.customId, tags: tags ?? document.tags };
    const hasName = (one: ModelDocument) =>
      one.customId !== null && one.customId === name.customId && areSame(one.tags, name.tags);
    if (!hasName(document) && this.documents.some(hasName)) return false;
    if (content !== undefined) {
      Object.assign(document, { content, borders: [], file: null, isFile: false, isUnreadable: false });
    }
    if (customId !== undefined) document.customId = customId;
    if (tags !== undefined) document.tags = [...tags];
    if (metadata !== undefined) document.metadata = metadata;
    if (filepath !== undefined) document.filepath = filepath;
    document.lastDelta = null;
    return true;
  }

  delete(documents: readonly ModelDocument[]): void {
    for (const document of documents) {
      this.documents.splice(this.documents.indexOf(document), 1);
      this.deleted.add(document.id);
      this.memories.erased.push(...this.passages.erase(document.id));
    }
  }

  /**
   * What carries only this tag goes with it; what carries another one loses it.
   * @returns the memories that are gone
   */
  deleteTag(tag: string): readonly ModelMemory[] {
    this.delete(this.documents.filter(({ tags }) => tags.length === 1 && tags[0] === tag));
    for (const document of this.documents) {
      if (!document.tags.includes(tag)) continue;
      document.tags = document.tags.filter((one) => one !== tag);
      document.lastDelta = null;
    }
    this.tagNames.delete(tag);
    return this.memories.erase([tag]);
  }

  /** The target takes the place of the sources. */
  mergeTags(sources: readonly string[], target: string): void {
    for (const document of this.documents) {
      if (!document.tags.some((tag) => sources.includes(tag))) continue;
      document.tags = [...new Set(document.tags.map((tag) => (sources.includes(tag) ? target : tag)))];
      document.lastDelta = null;
    }
    this.memories.move(sources, target);
    for (const source of sources) this.tagNames.delete(source);
  }

  /** What is forgotten and said again is known again. */
  #restore({ id }: ModelDocument, said: string): void {
    for (const passage of this.passages.sayAgain(id, said)) {
      this.memories.restore(passage);
      passage.saidAgain = [];
    }
  }

  #create(id: string, { content, customId, tags, metadata }: Sent): ModelDocument {
    const document = {
      ...{ id, customId, content, borders: [], tags: [...orDefault(tags)], metadata },
      ...{ filepath: null, file: null, isFile: false, isUnreadable: false, lastDelta: null },
    };
    this.documents.push(document);
    return document;
  }

  /** @returns whether something changed */
  #setMetadata(document: ModelDocument, metadata: Metadata | null): boolean {
    const before = JSON.stringify(document.metadata);
    document.metadata = metadata ?? document.metadata;
    return JSON.stringify(document.metadata) !== before;
  }
}

const orDefault = (tags: readonly string[]): readonly string[] => (tags.length > 0 ? tags : [DEFAULT_TAG]);
const areSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.toSorted().join('\n') === others.toSorted().join('\n');
