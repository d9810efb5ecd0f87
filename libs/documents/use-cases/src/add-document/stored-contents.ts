import { Inject, Injectable } from '@nestjs/common';
import { BLOB_STORE, type BlobStore } from '#blobs';
import { blobFolder, type ContentInput, DocumentTexts, type Live } from '#documents';
import { contentHashOf } from '#kernel';
import type { UploadedFile } from './add-document.command.ts';
import { type ContentChange, compareTexts } from './decide.ts';
import { uploadPieces } from './upload-pieces.ts';

/** Stores the files of callers, and compares what they send with what is stored. */
@Injectable()
export class StoredContents {
  constructor(
    private readonly texts: DocumentTexts,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /** Durable when it resolves. */
  async storeFile(organization: string, id: string, file: UploadedFile): Promise<ContentInput> {
    const { path, name, contentType, fileType, mimeType } = file;
    const blob = `${blobFolder(organization, id)}${await contentHashOf([uploadPieces(path)])}.file`;
    const { length } = await this.blobs.put(blob, uploadPieces(path));
    return { file: { blob, bytes: length, name, contentType, fileType, mimeType } };
  }

  async compare(document: Live, sent: string | UploadedFile): Promise<ContentChange> {
    const { organization, id } = document;
    const stored = await this.texts.content(document);
    if (typeof sent !== 'string') {
      const content = await this.storeFile(organization, id, sent);
      return isSameFile(document, content) ? { kind: 'none' } : { kind: 'replace', content };
    }
    if (stored === null) return { kind: 'replace', content: { text: await this.texts.store(organization, id, sent) } };
    const difference = compareTexts(stored, sent);
    if (difference === 'same') return { kind: 'none' };
    return { kind: 'append', text: await this.texts.store(organization, id, difference.append) };
  }
}

const isSameFile = ({ content: stored }: Live, sent: ContentInput): boolean =>
  'file' in stored && 'file' in sent && stored.file.blob === sent.file.blob;
