import {
  type ChunkRef,
  type DocumentEvent,
  type DocumentRepository,
  type DocumentState,
  type DocumentTexts,
  decideChunked,
  decideEmbedded,
  decideExtracted,
  decideFailure,
  decideIndexed,
  decideStart,
  type Forbidden,
  indexed,
  type Live,
  lossIn,
  type MemoryRef,
  type Outdated,
  type Pieces,
  piecesFormed,
  unitsOf,
} from '#documents';
import { type Cause, type Position, SYSTEM } from '#event-store';
import { detectKind, type ExtractedDocument, extractDocument, isUrl, type Source } from '#extraction';
import { newId, ok, type Result, systemScope } from '#kernel';
import type { WorkCause, WorkMessage } from '#message-bus';
import { type Embedder, ModelUnavailableError } from '#models';
import type { VectorCache } from '#vector-cache';
import type { Unit, ViewsProgress } from '#views';
import { embedUnits, isModelGone, readySpaces, releaseOthers, type Space } from './embedding.ts';
import type { TextWorker } from './text-worker.ts';
import { STAGE_OF, type Work } from './work.ts';

export interface StagesOptions {
  readonly documents: DocumentRepository;
  readonly texts: DocumentTexts;
  readonly embedder: Embedder;
  readonly vectors: VectorCache;
  readonly textWorker: TextWorker;
  readonly progress: ViewsProgress;
  readonly head: () => Promise<Position | null>;
  /** Removes what a deleted document has outside the log. */
  readonly erase: (organization: string, id: string) => Promise<void>;
}

/** Texts up to this long are read in place: a change of thread would cost more than the work. UTF-16 code units. */
const INLINE_CHARACTERS = 32_000;
const VIEWS_WAIT_MS = 20_000;
/** Deliveries of one piece of work after which a fault is final. */
const MAX_DELIVERIES = 3;

/** There is no way to read this document. */
class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
  readonly code: string;
  readonly type: string;

  constructor(code: string, message: string, type: string) {
    super(message);
    this.code = code;
    this.type = type;
  }
}

/** Faults of the house, not of the document: tried again for as long as it takes. */
const PASSING: ReadonlySet<string> = new Set([
  'StorageFullError',
  'BlobStorageFullError',
  'ConcurrencyExhaustedError',
  'EventStoreUnreachableError',
  'KeyStoreError',
  'NatsStorageFullError',
  'NatsUnreachableError',
  'ThreadGoneError',
  'ViewsBehindError',
]);

/** Faults of the document: it will not get better by trying again. */
const FINAL: ReadonlySet<string> = new Set(['UnreadableError', 'ExtractionError']);

/** The views did not get far enough in time to call a document done. */
class ViewsBehindError extends Error {
  override readonly name = 'ViewsBehindError';
}

/** What the stages of this process are at. */
export interface StagesActivity {
  /** Messages that are being worked on. */
  readonly running: number;
  /** Since when the oldest of them is; 0: none is. */
  readonly longestMs: number;
  /** Messages that were brought to an end since the start. */
  readonly handled: number;
}

/** One method per stage of the pipeline: it does the work on one version of a document and appends what came out. */
export class Stages {
  readonly #options: StagesOptions;
  /** When each message that is being worked on was begun, the oldest first. */
  readonly #begun = new Map<symbol, number>();
  #handled = 0;

  constructor(options: StagesOptions) {
    this.#options = options;
  }

  get activity(): StagesActivity {
    const [oldest] = this.#begun.values();
    const longestMs = oldest === undefined ? 0 : performance.now() - oldest;
    return { running: this.#begun.size, longestMs, handled: this.#handled };
  }

  /**
   * @param delivery how many times this message was handed out, this one included
   * @throws when it should be handed out again
   */
  async run(work: Work, message: WorkMessage, delivery: number): Promise<void> {
    const own = Symbol(work);
    this.#begun.set(own, performance.now());
    try {
      await this.#run(work, message, delivery);
      this.#handled += 1;
    } finally {
      this.#begun.delete(own);
    }
  }

  async #run(work: Work, message: WorkMessage, delivery: number): Promise<void> {
    try {
      await this.#work(work, message);
    } catch (error) {
      // By name, for they may come from another thread.
      const { name, message: text, code, type } = error as Error & { code?: string; type?: string };
      if (PASSING.has(name)) throw error;
      const final = FINAL.has(name);
      if (!final && delivery < MAX_DELIVERIES) throw error;
      const loss = lossIn(error);
      if (loss !== null) {
        const { organization, documentId, contentVersion } = message;
        await this.#options.documents.recordLoss(systemScope(organization), documentId, contentVersion, loss);
        return;
      }
      const failure = final
        ? { code: code ?? 'extraction_failed', message: text, ...(type && { type }) }
        : { code: 'processing_failed', message: `The stage ${STAGE_OF[work]} failed ${delivery} times (${name})` };
      await this.#append(message, (state) => decideFailure(state, message.contentVersion, STAGE_OF[work], failure));
    }
  }

  async #work(work: Work, message: WorkMessage): Promise<void> {
    switch (work) {
      case 'extract':
        return this.#extract(message);
      case 'chunk':
        return this.#chunk(message);
      case 'embed':
        return this.#embed(message);
      case 'index':
        return this.#index(message, message.cause);
    }
  }

  /** What this process knows is good enough, unless it is not what the message speaks of. */
  async #stateFor({ organization, documentId, contentVersion }: WorkMessage): Promise<DocumentState | Forbidden> {
    const known = await this.#options.documents.peek(systemScope(organization), documentId);
    if (known.status === 'live' && known.contentVersion === contentVersion) return known;
    return this.#options.documents.load(systemScope(organization), documentId);
  }

  async #extract(message: WorkMessage): Promise<void> {
    const document = await this.#stateFor(message);
    if (document.status !== 'live' || document.contentVersion !== message.contentVersion) return;
    const { source, type } = await this.#sourceOf(document);
    if (typeof source.body === 'string' && source.body.length <= INLINE_CHARACTERS && !looksForeign(source)) {
      // What needs no other thread runs back to back, in one append.
      const extracted = await extractDocument(source);
      const found = await this.#extracted(document, source, extracted, type);
      const pieces = await this.#pieces(document, extracted);
      await this.#append(message, (state) => {
        const decided = decideExtracted(state, message.contentVersion, found, sizesOf(extracted));
        return decided.ok ? ok([...decided.value, ...piecesFormed(message.contentVersion, pieces)]) : decided;
      });
      return;
    }
    if ((await this.#start('extract', message)) === null) return;
    const extracted = await this.#options.textWorker.extract(source);
    const found = await this.#extracted(document, source, extracted, type);
    await this.#append(message, (state) => decideExtracted(state, message.contentVersion, found, sizesOf(extracted)));
  }

  async #chunk(message: WorkMessage): Promise<void> {
    const document = await this.#start('chunk', message);
    if (document === null) return;
    const text = await this.#options.texts.extracted(document);
    if (text === null) return;
    const pieces = await this.#pieces(document, await this.#options.textWorker.split(text));
    await this.#append(message, (state) => decideChunked(state, message.contentVersion, pieces));
  }

  async #embed(message: WorkMessage): Promise<void> {
    // The model went while this waited: the document is found by its words, and gets its vectors when there is one again.
    if (readySpaces(this.#options.embedder).length === 0) return this.#index(message);
    const document = await this.#start('embed', message);
    if (document === null) return;
    const units = await unitsOf(document, this.#options.texts);
    try {
      const { space, renewed } = await this.#embedUnits(document, units);
      const embedded = { renewed, sizes: { units: units.length } };
      await this.#append(message, (state) => decideEmbedded(state, message.contentVersion, space, embedded));
    } catch (error) {
      if (error instanceof ModelUnavailableError) return this.#index(message);
      throw error;
    }
  }

  /**
   * In the serving space, and in one that is being built.
   * @returns the serving one, and whether any vector had to be made in it. @throws ModelUnavailableError
   */
  async #embedUnits(document: Live, units: readonly Unit[]): Promise<{ space: string; renewed: boolean }> {
    const { embedder, vectors } = this.#options;
    const made = new Map<string, number>();
    for (;;) {
      const spaces = readySpaces(embedder);
      const [serving] = spaces;
      if (serving === undefined) throw new ModelUnavailableError('The model is not ready');
      const next = spaces.find(({ name }) => !made.has(name));
      // Spaces may change under the work, so they are looked at again after each.
      if (next !== undefined) {
        made.set(next.name, await this.#embedIn(next, document, units));
        continue;
      }
      // What earlier versions of the content used and this one does not is forgotten.
      if (document.contentVersion > 1) await releaseOthers(vectors, document, units, [...made.keys()]);
      return { space: serving.name, renewed: (made.get(serving.name) ?? 0) > 0 };
    }
  }

  /** What ails the model of another space than the serving one is no fault of the document. */
  async #embedIn(space: Space, document: Live, units: readonly Unit[]): Promise<number> {
    const { embedder, vectors } = this.#options;
    try {
      return await embedUnits(vectors, document, units, space);
    } catch (error) {
      const [serving] = readySpaces(embedder);
      if (!isModelGone(error) || serving === undefined || serving.name === space.name) throw error;
      return 0;
    }
  }

  /**
   * A document is done when the search finds it, and not before.
   * @param seen the event at which whoever sends out this work has seen the document ready for it. If nothing has happened
   *   to it since, it need not be read: where several processes work, it was most likely another one that read it before
   */
  async #index(message: WorkMessage, seen: WorkCause | null = null): Promise<void> {
    const { documentId, contentVersion, cause } = message;
    const position = (cause?.position as Position | undefined) ?? (await this.#options.head());
    if (!(await this.#options.progress.reached(position, VIEWS_WAIT_MS))) {
      throw new ViewsBehindError('the views are behind the log');
    }
    if (seen !== null) {
      const { eventId: causationId, correlationId } = seen;
      const by: Cause = {
        actor: SYSTEM,
        correlationId,
        causationId,
      };
      if (
        await this.#options.documents.changeAsSeen(systemScope(message.organization), documentId, by, seen, [
          indexed(contentVersion),
        ])
      )
        return;
    }
    await this.#append(message, (state) => decideIndexed(state, contentVersion));
  }

  /**
   * @returns the document as it is now: another process may have brought it here, of which this one has heard nothing yet.
   * Null: there is nothing to start any more, or it was started too often
   */
  async #start(work: Work, message: WorkMessage): Promise<Live | null> {
    const started = await this.#append(message, (state) => decideStart(state, message.contentVersion, STAGE_OF[work]));
    if (!started.ok || started.value.state.status !== 'live') return null;
    return started.value.state.stage === 'failed' ? null : started.value.state;
  }

  async #append(message: WorkMessage, decide: (state: DocumentState) => Result<readonly DocumentEvent[], Outdated>) {
    const { organization, documentId, cause: seen } = message;
    const known = await this.#options.documents.peek(systemScope(organization), documentId);
    const cause: Cause = {
      actor: SYSTEM,
      // What came of a request is told under the request's correlation id.
      correlationId: (known.status === 'live' && known.requests.at(-1)) || newId(),
      causationId: seen?.eventId ?? null,
    };
    const changed = await this.#options.documents.change(systemScope(organization), documentId, cause, decide);
    // What this stage put aside for a document that was deleted meanwhile must not outlive it.
    if (
      !changed.ok &&
      (await this.#options.documents.load(systemScope(organization), documentId)).status === 'deleted'
    ) {
      await this.#options.erase(organization, documentId);
    }
    return changed;
  }

  async #sourceOf(document: Live): Promise<{ readonly source: Source; readonly type: string }> {
    const { documentDate, content } = document;
    if ('file' in content) {
      const { blob, name, contentType, fileType, mimeType } = content.file;
      const bytes = await this.#options.texts.bytes(blob);
      const detected = detectKind({ bytes, fileName: name, contentType, fileType, mimeType });
      if (!('kind' in detected)) throw new UnreadableError('unsupported_type', detected.unsupported, detected.type);
      return { source: { body: bytes, kind: detected.kind, fileName: name, documentDate }, type: detected.type };
    }
    const body = (await this.#options.texts.content(document)) ?? '';
    if (isUrl(body))
      throw new UnreadableError('unsupported_type', 'Pages behind a URL are not fetched yet', document.type);
    return { source: { body, kind: 'text', fileName: null, documentDate }, type: 'text' };
  }

  async #extracted(document: Live, source: Source, { text, title, summary }: ExtractedDocument, type: string) {
    const { organization, id } = document;
    const stored = text === source.body ? null : await this.#options.texts.store(organization, id, text);
    return { text: stored, title, summary, type };
  }

  async #pieces(document: Live, { chunks, memories }: Pick<ExtractedDocument, 'chunks' | 'memories'>): Promise<Pieces> {
    const { organization, id, taskType } = document;
    const wanted = taskType === 'superrag' ? [] : memories;
    const [chunkList, memoryList] = await Promise.all([
      this.#options.texts.storeList<ChunkRef>(
        organization,
        id,
        chunks.map(({ start, end }) => [newId(), start, end]),
      ),
      this.#options.texts.storeList<MemoryRef>(
        organization,
        id,
        wanted.map(({ start, end, speaker }) => [newId(), start, end, speaker]),
      ),
    ]);
    return { chunks: chunkList, memories: memoryList, sizes: { chunks: chunks.length, memories: wanted.length } };
  }
}

/** Markup is read by a foreign parser, which is kept away from the threads that answer requests. */
const looksForeign = ({ body }: Source): boolean => typeof body === 'string' && /^\s*</.test(body);

const sizesOf = ({ text }: ExtractedDocument): { readonly characters: number } => ({ characters: text.length });
