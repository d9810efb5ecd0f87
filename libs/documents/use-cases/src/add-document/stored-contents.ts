import { Inject, Injectable } from '@nestjs/common';
import { BLOB_STORE, type BlobStore } from '#blobs';
import { blobFolder, type ContentInput, DocumentTexts, type Live } from '#documents';
import { contentHash } from '#kernel';
import type { UploadedFile } from './add-document.command.ts';
import { type ContentChange, compareTexts } from './decide.ts';
import { readUpload } from './read-upload.ts';

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
    const bytes = await readUpload(path);
    const blob = `${blobFolder(organization, id)}${contentHash(bytes.toString('latin1'))}.file`;
    await this.blobs.put(blob, bytes);
    return { file: { blob, bytes: bytes.length, name, contentType, fileType, mimeType } };
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
