import { Controller, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { API_KEYS, type ApiKeys } from '#features/access';
import { UploadLinks } from '#features/documents';
import { addFile, UploadInput } from '#features/documents/use-cases';
import { mayCall, type Principal } from '#platform/kernel';
import { outdated } from '../access/authentication.ts';
import { CountedAs, Public } from '../access/permission.ts';
import { AddedDocument, addedDocument } from '../documents/documents.responses.ts';
import { Uploads } from '../documents/uploads.ts';
import { refusalError, valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { Multipart } from '../transport/multipart.ts';

const BEARER = /^bearer +(\S+) *$/i;

@Controller('upload')
@InSection('Tools')
export class UploadController {
  constructor(
    @Inject(API_KEYS) private readonly keys: ApiKeys,
    private readonly links: UploadLinks,
    private readonly uploads: Uploads,
    private readonly commands: CommandBus,
  ) {}

  /** The signature in the token is the credential (contract A4). */
  @Post(':id')
  @HttpCode(200)
  @CountedAs('add')
  @Public()
  @Multipart(UploadInput)
  @Documented({
    id: 'uploadPreparedFile',
    summary: 'Upload one file that a tool has prepared',
    description:
      'With the token as `Authorization: Bearer`. The address and the token are those of the tool `prepare-file-upload`, for ' +
      'two minutes; the file gets the tag that the tool was called with. The same file can be sent again, and counts once; ' +
      'another one is a 409.',
    path: { id: { description: 'The last part of `uploadUrl`.' } },
    form: UploadInput,
    answer: AddedDocument,
    links: { getDocument: { id: 'id' } },
    refuses: [404, 409],
  })
  async upload(@Param('id') id: string, @Req() request: FastifyRequest): Promise<AddedDocument> {
    const principal = await this.principalOf(id, BEARER.exec(request.headers.authorization ?? '')?.[1] ?? '');
    request.principal = principal;
    const attempt = { idempotencyKey: `upload-${id}`, isRetry: false };
    const added = await this.uploads.receive(request, ({ body, file }) =>
      this.commands.execute(addFile(principal, body, file, attempt)).then(valueOrThrow),
    );
    return addedDocument(added, 'plain');
  }

  /** The key that prepared the upload, limited to the tag of the upload. */
  private async principalOf(id: string, token: string): Promise<Principal> {
    const link = await this.links.read(id, token);
    if (!this.keys.isCurrent()) throw outdated();
    const principal = link && this.keys.principalOf(link.keyId);
    if (!link || !principal || !this.keys.isValid(principal)) throw refusalError('dead_link');
    const { organization, writableTags } = principal;
    const isPermitted = writableTags === 'all' || writableTags.includes(link.tag);
    if (organization !== link.organization || !mayCall(principal, 'write') || !isPermitted) {
      throw refusalError('dead_link');
    }
    return { ...principal, tags: [link.tag], writableTags: [link.tag] };
  }
}
