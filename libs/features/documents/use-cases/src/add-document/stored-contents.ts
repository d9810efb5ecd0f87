import { Inject, Injectable } from '@nestjs/common';
import {
  awaitsReading,
  blobFolder,
  type ContentInput,
  compareTexts,
  DocumentTexts,
  type FileRef,
  type Live,
} from '#features/documents';
import { contentHashOf, type Metadata, newId, translateFileError, urlIn } from '#platform/kernel';
import { BLOB_STORE, type BlobStore } from '#ports/blobs';
import type { UploadedFile } from './add-document.command.ts';
import type { ContentChange } from './decide.ts';
import { isToolFile, joinTexts, type SentText } from './joined-texts.ts';

export interface SentContent {
  readonly content: string | UploadedFile;
  readonly metadata: Metadata | null;
  readonly isRetry: boolean;
}

const UNCHANGED: ContentChange = { kind: 'none', isRepeated: false };

/** Stores the files of callers, and compares what they send with what is stored. */
@Injectable()
export class StoredContents {
  readonly #compared = new WeakMap<UploadedFile, { readonly file: FileRef }>();

  constructor(
    private readonly texts: DocumentTexts,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /** Durable when it resolves. */
  storeFile(organization: string, id: string, file: UploadedFile): Promise<ContentInput> {
    return this.#storeFile(`${blobName(organization, id, file)}.upload`, file);
  }

  async compare(document: Live, { content: sent, metadata, isRetry }: SentContent): Promise<ContentChange> {
    const { organization, id } = document;
    if (typeof sent !== 'string') return this.#compareFile(document, sent);
    if (isFrom(document, sent)) return this.#compareUrl(document, sent);
    const isRepeatedDelta = isRetry && (document.deltas?.hashes.includes(await sentHash(sent)) ?? false);
    const overwrites = isToolFile(document.metadata) && isToolFile(metadata);
    const store = (text: string) => this.texts.store(organization, id, text);
    if (awaitsReading(document)) {
      if (isRepeatedDelta) return { kind: 'none', isRepeated: true };
      return { kind: 'wait', text: await store(sent), sent: await sentHash(sent), overwrites };
    }
    const text = await this.#textOf(document);
    // A file that could not be read has no text to compare with.
    if (text === null) return { kind: 'replace', content: { text: await store(sent) }, keepsFile: true };
    const change = await compareTexts(text, sent, { isRepeatedDelta, overwrites });
    switch (change.kind) {
      case 'none':
        return { kind: 'none', isRepeated: isRepeatedDelta && sent !== text };
      case 'append':
        return change.border === null
          ? { kind: 'append', text: await store(change.text), sent: null, borders: [] }
          : { kind: 'append', text: await store(change.text), sent: await sentHash(sent), borders: [change.border] };
      case 'replace':
        return { kind: 'replace', content: { text: await store(change.text) }, keepsFile: true };
    }
  }

  /**
   * How several texts change the content, one after the other: at most two changes.
   * @param mark identifies all of them among the requests for the document
   */
  async compareEach(
    document: Live,
    sent: readonly SentText[],
    isRetry: boolean,
    mark: string,
  ): Promise<readonly ContentChange[]> {
    const { organization, id, metadata } = document;
    const url = sent.findLastIndex(({ content }) => isFrom(document, content));
    if (url !== -1) return this.#compareFromUrl(document, sent.slice(url), mark);
    const store = (text: string) => this.texts.store(organization, id, text);
    const waits = awaitsReading(document);
    const repeated = isRetry ? await this.#repeatedIn(document, sent) : null;
    const stored = waits ? null : await this.#textOf(document);
    const { replaced, appended, borders, overwrites } = await joinTexts(
      stored,
      metadata,
      sent,
      (text) => repeated?.has(text) ?? false,
    );
    if (waits) return [{ kind: 'wait', text: await store((replaced ?? '') + appended), sent: mark, overwrites }];
    const changes: ContentChange[] = [];
    if (replaced !== null) changes.push({ kind: 'replace', content: { text: await store(replaced) }, keepsFile: true });
    if (appended !== '') changes.push({ kind: 'append', text: await store(appended), sent: mark, borders });
    return changes.length === 0 ? [UNCHANGED] : changes;
  }

  /** The page takes the place of all before it, and the texts behind it wait until it is read. */
  async #compareFromUrl(
    document: Live,
    [page, ...texts]: readonly SentText[],
    mark: string,
  ): Promise<readonly ContentChange[]> {
    const { organization, id, metadata } = document;
    const change = await this.#compareUrl(document, page?.content ?? '');
    if (texts.length === 0) return [change];
    const { replaced, appended, overwrites } = await joinTexts(null, metadata, texts, () => false);
    const text = await this.texts.store(organization, id, (replaced ?? '') + appended);
    return [change, { kind: 'wait', text, sent: mark, overwrites }];
  }

  /** The texts that the last write has appended. */
  async #repeatedIn({ deltas }: Live, sent: readonly SentText[]): Promise<ReadonlySet<string>> {
    const repeated = new Set<string>();
    if (deltas === null) return repeated;
    for (const { content } of sent) if (deltas.hashes.includes(await sentHash(content))) repeated.add(content);
    return repeated;
  }

  #textOf(document: Live): Promise<string | null> {
    return 'parts' in document.content ? this.texts.content(document) : this.texts.extracted(document);
  }

  /** A page is fetched again once it has been read, and what it comes to then is compared. */
  async #compareUrl({ organization, id, content, stage }: Live, sent: string): Promise<ContentChange> {
    if (!('parts' in content) && stage !== 'done') return UNCHANGED;
    return { kind: 'replace', content: await this.texts.storeContent(organization, id, sent), keepsFile: false };
  }

  /** The same file is stored again as well, which restores a blob that was lost. */
  async #compareFile({ organization, id, content: stored }: Live, sent: UploadedFile): Promise<ContentChange> {
    const name = blobName(organization, id, sent);
    // Stored by an earlier comparison, which was in vain because the document changed. Not if it was replaced by another.
    const compared = this.#compared.get(sent);
    const before = compared?.file.blob.startsWith(`${name}.`) ? compared : undefined;
    if ('file' in stored && stored.file.blob.startsWith(`${name}.`)) {
      await this.#storeFile(stored.file.blob, sent);
      if (before !== undefined) await this.blobs.delete(before.file.blob);
      return UNCHANGED;
    }
    // A name of its own: the removal of a former file with the same bytes may be repeated later.
    const content = before ?? (await this.#storeFile(`${name}.${newId()}.upload`, sent));
    this.#compared.set(sent, content);
    return { kind: 'replace', content, keepsFile: false };
  }

  async #storeFile(blob: string, file: UploadedFile): Promise<{ readonly file: FileRef }> {
    const { path, name, contentType, fileType, mimeType } = file;
    try {
      const { length } = await this.blobs.putFile(blob, path);
      return { file: { blob, bytes: length, name, contentType, fileType, mimeType } };
    } catch (error) {
      throw translateFileError(error);
    }
  }
}

/** Whether a document came from the URL that is sent for it. Any other URL is a text. */
const isFrom = ({ content }: Live, sent: string): boolean =>
  'page' in content && urlIn(sent) !== null && normalized(content.page) === normalized(sent);

/** The URL that a text is, as it is fetched. */
function normalized(text: string): string | null {
  const url = URL.parse(urlIn(text) ?? '');
  if (url !== null) url.hash = '';
  return url?.href ?? null;
}

/** The key of a file's blob up to its first dot. */
const blobName = (organization: string, id: string, { sha256 }: UploadedFile): string =>
  `${blobFolder(organization, id)}${sha256}`;

/** Whether a file was stored from the same upload: the bytes and all that was stated about them. */
export function isStoredFile(stored: FileRef, { sha256, ...sent }: UploadedFile): boolean {
  const details = ['name', 'contentType', 'fileType', 'mimeType'] as const;
  return stored.blob.includes(`/${sha256}.`) && details.every((name) => stored[name] === sent[name]);
}

/** Identifies a delta among those of one document. Takes three times as long as reading and comparing a long text. */
const sentHash = async (text: string): Promise<string> => (await contentHashOf([text])).slice(0, 32);
