import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FastifyMultipartBaseOptions, MultipartFile } from '@fastify/multipart';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { UploadedFile } from '#documents/use-cases';
import { isMnemeError, newId, translateFileError } from '#kernel';
import { ApiError, invalid } from '../errors/api-error.ts';
import { HTTP_OPTIONS, type HttpOptions, MAX_FILE_BYTES } from '../options.ts';
import { discard } from '../transport/discard.ts';
import { alignBoundary } from '../transport/multipart.ts';
import { readInput } from '../validation/read-input.ts';
import { UploadBody } from './add-document.dto.ts';
import { FormFields } from './form-fields.ts';

export interface Upload {
  readonly body: UploadBody;
  readonly file: Omit<UploadedFile, 'fileType' | 'mimeType'>;
}

/** Above the limit of any field, so that the error names the field's own limit. */
const MAX_FIELD_BYTES = 256 * 1024;

const FORM: Omit<FastifyMultipartBaseOptions, 'limits'> & { readonly isPartAFile: unknown; readonly limits: object } = {
  limits: { fileSize: MAX_FILE_BYTES, files: 1, fields: 1000, parts: 1001, fieldSize: MAX_FIELD_BYTES },
  throwFileSizeLimit: false,
  // Some clients send no file name.
  isPartAFile: (name: string | undefined, _type: string | undefined, filename: string | undefined) =>
    name === 'file' || filename !== undefined,
} as never;

@Injectable()
export class Uploads {
  private readonly folder: string;

  constructor(@Inject(HTTP_OPTIONS) options: HttpOptions) {
    this.folder = options.uploadFolder;
  }

  /** Streams the file to disk and hashes it, calls `use`, and removes the file in every case. */
  async receive<T>(request: FastifyRequest, use: (upload: Upload) => Promise<T>): Promise<T> {
    const path = join(this.folder, `${newId()}.upload`);
    try {
      return await use(await this.read(request, path));
    } finally {
      await rm(path, { force: true });
    }
  }

  private async read(request: FastifyRequest, path: string): Promise<Upload> {
    const fields = new FormFields();
    let file: Upload['file'] | null = null;
    try {
      await alignBoundary(request);
      for await (const part of request.parts(FORM as FastifyMultipartBaseOptions)) {
        if (part.type === 'field') fields.add(part.fieldname, part.value, part.valueTruncated);
        else file = await store(part, path);
      }
    } catch (error) {
      // The client reads the answer only after it has sent the body.
      request.raw.unpipe();
      await discard(request.raw);
      throw refusalOf(translateFileError(error));
    }
    if (file === null) throw invalid('file', 'file is required');
    if (file.size === 0) throw invalid('file', 'file must not be empty');
    return { body: readInput(UploadBody, fields.values(), 'ignore'), file };
  }
}

async function store(part: MultipartFile, path: string): Promise<Upload['file']> {
  if (part.fieldname !== 'file') {
    throw invalid('file', `The file must stand in a part named file, not ${part.fieldname}`);
  }
  const target = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  const hash = createHash('sha256');
  await pipeline(
    part.file,
    async function* (pieces: AsyncIterable<Buffer>) {
      for await (const piece of pieces) {
        hash.update(piece);
        yield piece;
      }
    },
    target,
  );
  if (part.file.truncated) throw new ApiError('payload_too_large', 'file is larger than 50 MB', 'file');
  return {
    path,
    size: target.bytesWritten,
    sha256: hash.digest('hex'),
    name: part.filename || 'unknown_file',
    contentType: part.mimetype || null,
  };
}

/** Turns an error of the multipart parser into a refusal; an error of the disk stays as it is. */
function refusalOf(error: unknown): unknown {
  if (error instanceof ApiError || isMnemeError(error) || !(error instanceof Error)) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== undefined && code !== 'ECONNRESET') return error;
  switch (code) {
    case 'FST_FILES_LIMIT':
      return invalid('file', 'There must be one file only');
    case 'FST_FIELDS_LIMIT':
    case 'FST_PARTS_LIMIT':
      return invalid('body', 'The multipart body has too many parts');
    default:
      return invalid('body', 'The multipart body is broken or incomplete');
  }
}
