import { type FileHandle, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Live, lossIn, OPENINGS, parseDocumentStream } from '#features/documents';
import { readVersion } from '#platform/config';
import { isoTime, type JsonObject, type OrganizationId, syncFolder, systemScope } from '#platform/kernel';
import type { RecordedEvent } from '#ports/event-store';
import { writeSynced } from '../backup/manifest.ts';
import { folderOf, prepareEmpty } from '../folders.ts';
import { Lines } from '../lines.ts';
import { eventsOf } from '../log.ts';
import { type OperationsContext, textOf } from '../operation.ts';
import { organizationOf } from '../organization-of.ts';
import { documentLine, liveOf } from './document-line.ts';
import { ExportedFiles } from './exported-files.ts';
import { DOCUMENTS, EXPORT_FORMAT, EXPORT_MANIFEST, type ExportManifest, FILES, jsonLineOf } from './format.ts';

/** How often a document is read again because it was changed while it was read. */
const MAX_READS = 8;
const ADDED = { categories: ['document'], types: OPENINGS };

/**
 * Writes the documents of the organization, or those with a tag, into an empty folder. A document that is deleted meanwhile
 * is there whole or not at all. Yields `problem` lines for documents that cannot be read; the last line has `done`. An
 * export that is aborted or fails removes what it wrote.
 */
export async function* exportDocuments(
  context: OperationsContext,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const folder = folderOf(input);
  const organization = await organizationOf(context, input);
  await prepareEmpty(folder);
  const lines = new Lines<JsonObject>();
  const writing = new DocumentExport(context, { folder, organization, tag: textOf(input.tag), lines, signal });
  yield* lines.until(writing.run());
  yield { phase: 'done', done: writing.isComplete, folder, documents: writing.written, skipped: writing.skipped };
}

interface ExportOptions {
  readonly folder: string;
  readonly organization: OrganizationId;
  readonly tag: string | null;
  readonly lines: Lines<JsonObject>;
  readonly signal: AbortSignal;
}

class DocumentExport {
  isComplete = false;
  written = 0;
  skipped = 0;
  readonly #context: OperationsContext;
  readonly #options: ExportOptions;
  readonly #files: ExportedFiles;

  constructor(context: OperationsContext, options: ExportOptions) {
    this.#context = context;
    this.#options = options;
    this.#files = new ExportedFiles(join(options.folder, FILES), context.parts.storage.blobs);
  }

  async run(): Promise<void> {
    const { folder, tag, signal } = this.#options;
    try {
      await mkdir(join(folder, FILES), { mode: 0o700 });
      await writeSynced(join(folder, DOCUMENTS), (file) => this.#writeDocuments(file));
      signal.throwIfAborted();
      await syncFolder(join(folder, FILES));
      const createdAt = isoTime(this.#context.clock.now());
      const about: ExportManifest = {
        ...{ format: EXPORT_FORMAT, version: readVersion(), createdAt, tag, documents: this.written },
      };
      await writeSynced(join(folder, EXPORT_MANIFEST), (file) => file.writeFile(`${JSON.stringify(about, null, 2)}\n`));
      await syncFolder(folder);
      this.isComplete = true;
    } catch (error) {
      for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
      if (!signal.aborted) throw error;
    }
  }

  async #writeDocuments(file: FileHandle): Promise<void> {
    const { lines, organization, signal } = this.#options;
    const added = { ...ADDED, organization };
    const { store } = this.#context.parts.storage;
    let [of, documents] = [0, 0];
    for await (const _ of eventsOf(store, added)) of += 1;
    for await (const { stream } of eventsOf(store, added)) {
      signal.throwIfAborted();
      await this.#writeDocument(file, stream);
      documents += 1;
      lines.put({ phase: 'export', documents, of: Math.max(of, documents) });
    }
  }

  async #writeDocument(file: FileHandle, stream: string): Promise<void> {
    const { store } = this.#context.parts.storage;
    for (let reads = 1; ; reads += 1) {
      const { events, revision } = await store.readStream(stream);
      let line: JsonObject | null = null;
      let loss: string | null = null;
      try {
        line = await this.#lineOf(events);
      } catch (error) {
        loss = lossIn(error);
        if (loss === null) throw error;
      }
      // Files of a deleted document may be gone, so what was read counts only if the document still exists.
      const after = await store.readStream(stream, { from: Number(revision) + 1 });
      const isDeleted = after.erased || after.events.some(({ envelope }) => envelope.type === 'DocumentDeleted');
      if (!isDeleted && line !== null) {
        await file.writeFile(`${jsonLineOf(line)}\n`);
        this.#files.keep();
        this.written += 1;
        return;
      }
      await this.#files.drop();
      if (isDeleted || loss === null) return;
      if (after.revision === revision || reads === MAX_READS) {
        this.skipped += 1;
        const id = parseDocumentStream(stream)?.id ?? stream;
        this.#options.lines.put({ problem: 'lost', id, message: `The document ${id} is not exported: ${loss}.` });
        return;
      }
    }
  }

  /** Null: deleted, or without the tag. */
  async #lineOf(events: readonly RecordedEvent[]): Promise<JsonObject | null> {
    const { tag } = this.#options;
    const { parts } = this.#context;
    const document = liveOf(events);
    if (document === null || (tag !== null && !(await this.#tagsOf(document)).includes(tag))) return null;
    const sources = { texts: parts.texts, blobs: parts.storage.blobs, files: this.#files };
    return parts.documents.reads.read(document, async () => {
      return (await documentLine(document, events, sources)) as unknown as JsonObject;
    });
  }

  /** Those of a memory of a document are the ones of the document. */
  async #tagsOf({ organization, tags, memory }: Live): Promise<readonly string[]> {
    if (!memory?.passage) return tags;
    const { documentId } = memory.passage;
    const document = await this.#context.parts.documents.load(systemScope(organization), documentId);
    return document.status === 'live' ? document.tags : tags;
  }
}
