import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { DocumentRepository, FileLinks, fileOf, type Live, lossIn, MissingBlobError } from '#features/documents';
import { type AccessScope, err, ok, type Result, systemScope } from '#platform/kernel';
import { BLOB_STORE, type BlobStore } from '#ports/blobs';
import { type OpenedFile, OpenFile } from './open-file.query.ts';

@QueryHandler(OpenFile)
export class OpenFileHandler implements IQueryHandler<OpenFile> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly links: FileLinks,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  async execute({ token }: OpenFile): Promise<Result<OpenedFile, 'dead_link'>> {
    const link = await this.links.read(token);
    const document = link && (await this.#documentOf(link));
    const file = document && fileOf(document);
    if (!link || !document || !file || !link.serves(file)) return err('dead_link');
    const { blob, name, mimeType, contentType, bytes } = file;
    try {
      await this.documents.reads.read(document, () => this.#open(blob, 0));
    } catch (error) {
      if (lossIn(error) === null) throw error;
      return err('dead_link');
    }
    const read = (start: number, end: number) => this.#read(blob, start, end);
    return ok({ name, contentType: mimeType ?? contentType, bytes, read });
  }

  async #open(blob: string, from: number): Promise<AsyncIterable<Uint8Array>> {
    const content = await this.blobs.stream(blob, from);
    if (content === null) throw new MissingBlobError(`the blob ${blob} is gone`);
    return content;
  }

  async *#read(blob: string, start: number, end: number): AsyncGenerator<Uint8Array> {
    let left = end - start;
    for await (const piece of await this.#open(blob, start)) {
      yield piece.subarray(0, left);
      left -= piece.length;
      if (left <= 0) return;
    }
  }

  /** The token has named the organization, so every document of it is in the scope. */
  async #documentOf({
    organization,
    id,
  }: {
    readonly organization: string;
    readonly id: string;
  }): Promise<Live | null> {
    const scope: AccessScope = { ...systemScope(organization), access: 'read' };
    try {
      const found = await this.documents.load(scope, id);
      return found.status === 'live' ? found : null;
    } catch (error) {
      if (lossIn(error) === null) throw error;
      return null;
    }
  }
}
