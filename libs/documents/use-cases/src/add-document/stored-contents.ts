import { Inject, Injectable } from '@nestjs/common';
import { BLOB_STORE, type BlobStore } from '#blobs';
import { blobFolder, type ContentInput, DocumentTexts, type FileRef, type Live } from '#documents';
import { translateFileError } from '#kernel';
import type { UploadedFile } from './add-document.command.ts';
import { type ContentChange, compareTexts } from './decide.ts';
import { isFormerBlobOf } from './former-hashes.ts';

/** Stores the files of callers, and compares what they send with what is stored. */
@Injectable()
export class StoredContents {
  constructor(
    private readonly texts: DocumentTexts,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /** Durable when it resolves. */
  storeFile(organization: string, id: string, file: UploadedFile): Promise<ContentInput> {
    return this.#storeFile(blobOf(organization, id, file), file);
  }

  async compare(document: Live, sent: string | UploadedFile): Promise<ContentChange> {
    const { organization, id } = document;
    if (typeof sent !== 'string') return this.#compareFile(document, sent);
    const stored = await this.texts.content(document);
    if (stored === null) return { kind: 'replace', content: { text: await this.texts.store(organization, id, sent) } };
    const difference = compareTexts(stored, sent);
    if (difference === 'same') return { kind: 'none' };
    return { kind: 'append', text: await this.texts.store(organization, id, difference.append) };
  }

  /** The same file is stored again as well, which restores a blob that was lost. */
  async #compareFile({ organization, id, content: stored }: Live, sent: UploadedFile): Promise<ContentChange> {
    const blob = blobOf(organization, id, sent);
    if ('file' in stored && (stored.file.blob === blob || (await isFormerBlobOf(stored.file, sent)))) {
      await this.#storeFile(stored.file.blob, sent);
      return { kind: 'none' };
    }
    return { kind: 'replace', content: await this.#storeFile(blob, sent) };
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

const blobOf = (organization: string, id: string, { sha256 }: UploadedFile): string =>
  `${blobFolder(organization, id)}${sha256}.upload`;
