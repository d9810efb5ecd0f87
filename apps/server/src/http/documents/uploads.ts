import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FastifyMultipartBaseOptions, MultipartFile } from '@fastify/multipart';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type UploadedFile, UploadInput } from '#features/documents/use-cases';
import { invalid, readInput } from '#platform/input';
import { isMnemeError, newId, translateFileError } from '#platform/kernel';
import { ApiError, payloadTooLarge } from '../errors/api-error.ts';
import { HTTP_OPTIONS, type HttpOptions, MAX_FILE_BYTES } from '../options.ts';
import { discard } from '../transport/discard.ts';
import { alignBoundary } from '../transport/multipart.ts';
import { checkFormSize, FieldReader, FormFields, MAX_FIELDS } from './form-fields.ts';

export interface Upload {
  readonly body: UploadInput;
  readonly file: Omit<UploadedFile, 'fileType' | 'mimeType'>;
}

/** With the file. The parser refuses the next part. */
const MAX_PARTS = MAX_FIELDS + 1;

/** Every part arrives as a stream of its bytes: the parser itself would replace invalid UTF-8 in fields. */
const FORM = {
  limits: { fileSize: MAX_FILE_BYTES, files: MAX_PARTS, parts: MAX_PARTS },
  throwFileSizeLimit: false,
  isPartAFile: () => true,
} as FastifyMultipartBaseOptions;

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
    const reader = new FieldReader();
    let file: Upload['file'] | null = null;
    let received = 0;
    try {
      await alignBoundary(request);
      // Another process that shares the data folder may have taken it for one that is left over.
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      request.raw.on('data', (chunk: Buffer) => {
        received += chunk.length;
      });
      for await (const part of request.parts(FORM) as AsyncIterable<MultipartFile>) {
        if (!isFile(part)) fields.add(part.fieldname, await reader.read(part));
        else if (file === null) file = await store(part, path);
        else throw invalid('file', 'There must be one file only');
      }
      checkFormSize(received - (file?.size ?? 0));
    } catch (error) {
      // The client reads the answer only after it has sent the body.
      request.raw.unpipe();
      await discard(request.raw);
      throw refusalOf(translateFileError(error));
    }
    if (file === null) throw invalid('file', 'file is required');
    if (file.size === 0) throw invalid('file', 'file must not be empty');
    return { body: readInput(UploadInput, fields.values(), 'ignore'), file };
  }
}

/** Some clients send no file name. */
const isFile = ({ fieldname, filename }: MultipartFile): boolean => fieldname === 'file' || filename !== undefined;

async function store(part: MultipartFile, path: string): Promise<Upload['file']> {
  if (part.fieldname !== 'file') {
    throw invalid('file', `The file must stand in a part named file, not ${part.fieldname}`);
  }
  const tooLarge = payloadTooLarge('file', 'file is larger than 50 MB');
  part.file.once('limit', () => part.file.destroy(tooLarge));
  const target = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  const hash = createHash('sha256');
  try {
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
  } finally {
    // Until then the file may still be created, behind its removal.
    if (!target.closed) await once(target, 'close');
  }
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
    case 'FST_PARTS_LIMIT':
      return payloadTooLarge('body', `The multipart body has more than ${MAX_FIELDS} fields`);
    default:
      return invalid('body', 'The multipart body is broken or incomplete');
  }
}
