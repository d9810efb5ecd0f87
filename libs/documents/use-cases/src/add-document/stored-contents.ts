import { Inject, Injectable } from '@nestjs/common';
import { BLOB_STORE, type BlobStore } from '#blobs';
import { blobFolder, type ContentInput, DocumentTexts, type Live } from '#documents';
import { contentHashOf } from '#kernel';
import type { UploadedFile } from './add-document.command.ts';
import { type ContentChange, compareTexts } from './decide.ts';
import { uploadPieces } from './upload-pieces.ts';

/** Stores what callers send, and compares it with what is stored. */
@Injectable()
export class StoredContents {
  constructor(
    private readonly texts: DocumentTexts,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /** Durable when it resolves. */
  async store(organization: string, id: string, content: string | UploadedFile): Promise<ContentInput> {
    if (typeof content === 'string') return { text: await this.texts.store(organization, id, content) };
    const { path, name, contentType, fileType, mimeType } = content;
    const blob = `${blobFolder(organization, id)}${await contentHashOf([uploadPieces(path)])}.file`;
    const { length } = await this.blobs.put(blob, uploadPieces(path));
    return { file: { blob, bytes: length, name, contentType, fileType, mimeType } };
  }

  async compare(document: Live, sent: string | UploadedFile): Promise<ContentChange> {
    const { organization, id } = document;
    const stored = await this.texts.content(document);
    if (typeof sent !== 'string' || stored === null) {
      const content = await this.store(organization, id, sent);
      return isSameFile(document, content) ? { kind: 'none' } : { kind: 'replace', content };
    }
    const difference = compareTexts(stored, sent);
    if (difference === 'same') return { kind: 'none' };
    return { kind: 'append', text: await this.texts.store(organization, id, difference.append) };
  }
}

const isSameFile = ({ content: stored }: Live, sent: ContentInput): boolean =>
  'file' in stored && 'file' in sent && stored.file.blob === sent.file.blob;
