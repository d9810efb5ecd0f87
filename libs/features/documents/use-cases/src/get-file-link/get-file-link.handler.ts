import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { DocumentRepository, FileLinks, fileOf } from '#features/documents';
import { err, ok, type Result, readScope } from '#platform/kernel';
import { type FileRefusal, GetFileLink } from './get-file-link.query.ts';

@QueryHandler(GetFileLink)
export class GetFileLinkHandler implements IQueryHandler<GetFileLink> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly links: FileLinks,
  ) {}

  async execute({
    principal,
    idOrCustomId,
    picked,
  }: GetFileLink): Promise<Result<{ readonly token: string }, FileRefusal>> {
    const scope = readScope(principal, picked);
    const found = await this.documents.find(scope, idOrCustomId);
    if (!found.ok) return found;
    const file = fileOf(found.value);
    return file === null ? err('no_file') : ok({ token: await this.links.tokenFor(found.value, file) });
  }
}
