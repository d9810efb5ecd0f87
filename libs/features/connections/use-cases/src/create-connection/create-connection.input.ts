import { MAX_DOCUMENT_TAGS } from '#features/documents';
import {
  IsContainerTag,
  IsContainerTags,
  IsMetadata,
  IsPathList,
  IsText,
  IsTextList,
  IsWholeNumber,
  namedTags,
  ShownBy,
} from '#platform/input';
import type { Metadata, Principal } from '#platform/kernel';
import { CreateConnection } from './create-connection.command.ts';

const MOST_DOCUMENTS = 10_000;
/** Bytes. */
const LARGEST = 50 * 1024 * 1024;

/** The source, and what becomes of its items. */
@ShownBy({
  'A site': { containerTags: ['handbook'], metadata: { startUrl: 'https://example.com/handbook' } },
})
export class CreateConnectionInput {
  /** A tag of the documents. Without any, they get the default one. */
  @IsContainerTag()
  containerTag?: string;

  /** One or several tags of the documents, joined with containerTag. */
  @IsContainerTags(MAX_DOCUMENT_TAGS)
  containerTags?: string | string[];

  /** Most documents. Default: any number. */
  @IsWholeNumber(1, MOST_DOCUMENTS)
  documentLimit?: number;

  /**
   * What the provider needs. Secrets in it are sealed and never shown; all else is shown, and is in the metadata of every
   * document. Values are strings, numbers or booleans.
   */
  @IsMetadata()
  metadata?: Metadata;

  /**
   * Where the browser goes after a person has permitted it at the provider, or has not: with `connectionId` or `error`. An
   * address that the operator has listed, or of a program on loopback.
   */
  @IsText({ min: 1, max: 2048 })
  redirectUrl?: string;

  /**
   * Patterns of paths, one of which an item has to match: `*` and `?` as in shells, `**` for any folders. One that ends in "/"
   * stands for all that is below it. A pattern without "/", or with one at its end alone, holds in every folder. Default: any.
   */
  @IsPathList()
  include?: string[];

  /** Patterns of paths that are left out, as of include. */
  @IsPathList()
  exclude?: string[];

  /** Content types to take, such as `application/pdf` or `text/*`. Default: any. */
  @IsTextList()
  contentTypes?: string[];

  /** Largest size of an item in bytes; larger ones are left out. */
  @IsWholeNumber(1, LARGEST)
  maxBytes?: number;
}

export function createConnection(
  principal: Principal,
  provider: string,
  { documentLimit, metadata, include, exclude, contentTypes, maxBytes, redirectUrl, ...tagged }: CreateConnectionInput,
): CreateConnection {
  const filters = {
    ...{ include: include ?? [], exclude: exclude ?? [], contentTypes: contentTypes ?? [] },
    maxBytes: maxBytes ?? null,
  };
  return new CreateConnection(principal, {
    ...{ provider, tags: namedTags(tagged), metadata: metadata ?? null, filters },
    documentLimit: documentLimit ?? null,
    redirectUrl: redirectUrl ?? null,
  });
}
