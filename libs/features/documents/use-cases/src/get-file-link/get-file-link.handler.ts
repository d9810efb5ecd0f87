import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { DocumentRepository, FileLinks, fileOf } from '#features/documents';
import { err, ok, type Result } from '#platform/kernel';
import { type FileRefusal, GetFileLink } from './get-file-link.query.ts';

@QueryHandler(GetFileLink)
export class GetFileLinkHandler implements IQueryHandler<GetFileLink> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly links: FileLinks,
  ) {}

  async execute({ scope, idOrCustomId }: GetFileLink): Promise<Result<{ readonly token: string }, FileRefusal>> {
    const found = await this.documents.find(scope, idOrCustomId);
    if (!found.ok) return found;
    const file = fileOf(found.value);
    return file === null ? err('no_file') : ok({ token: await this.links.tokenFor(found.value, file) });
  }
}
