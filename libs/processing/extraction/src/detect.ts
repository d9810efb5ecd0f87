import { conversationFileIn } from './conversations/formats.ts';
import { mayBeText } from './decoding/utf16.ts';
import { extractorOf, foundBy } from './extractors/registry.ts';
import { archivedConversations, UNKNOWN_BINARY, unsupportedKind } from './failures.ts';
import {
  byExtension,
  byFileType,
  byMediaType,
  type Format,
  isDocumentType,
  isKind,
  isText,
  OFFICE,
  onlyBinary,
  TEXT,
} from './formats.ts';
import type { DocumentType } from './port.ts';
import { bySignature } from './signature.ts';
import { namesIn } from './zip.ts';

/** A file with everything that the caller declared about it. */
export interface Upload {
  readonly bytes: Uint8Array;
  readonly fileName: string | null;
  /** Content type of the multipart part. */
  readonly contentType: string | null;
  /** Override by the caller: a document type of the contract. */
  readonly fileType?: string | null;
  /** Override by the caller: a media type. */
  readonly mimeType?: string | null;
}

export type DetectedFormat =
  | { readonly kind: string; readonly type: DocumentType }
  /** For `processingError.message`: names the format and quotes nothing of the file. */
  | {
      readonly unsupported: string;
      readonly type: DocumentType;
      /** The rest of the file may say more than its beginning: what a container holds is listed at its end. */
      readonly isUnsure?: true;
    };

/**
 * Clients send `text/plain` for every textual file, and the media type of Excel for CSV; there the extension counts.
 */
function refine(named: Format | null, extension: Format | null): Format | null {
  if (isKind(named, 'text') && isText(extension)) return extension;
  if ((isKind(named, 'xls') || isKind(named, 'xlsx')) && isKind(extension, 'csv')) return extension;
  return named;
}

/** What is found by its content has a signature; without it, the name of such a format is wrong. */
const unlessFoundByContent = (format: Format | null): Format | null =>
  format !== null && 'kind' in format && !isText(format) ? null : format;

/**
 * Decides how an uploaded file is read: by its content if that shows a binary format, then by the caller's overrides, then
 * the content type of the part, then the extension (contract §4.1). Bytes of no known format that may be text are read as
 * text.
 */
export async function detectKind(upload: Upload): Promise<DetectedFormat> {
  const fileType = upload.fileType?.trim().toLowerCase();
  const found = foundBy(upload.bytes);
  if (found !== null) {
    return { kind: found.kind, type: isDocumentType(fileType) ? fileType : (found.type ?? 'text') };
  }
  const extension = byExtension(upload.fileName);
  const override = unlessFoundByContent(refine(byMediaType(upload.mimeType), extension) ?? byFileType(fileType));
  const signature = await bySignature(upload.bytes);
  const contentType = refine(byMediaType(upload.contentType), extension);
  // Many formats are zip or CFB containers; content type and extension tell them apart.
  const named = signature === OFFICE ? (onlyBinary(contentType) ?? onlyBinary(extension) ?? OFFICE) : signature;

  const format =
    override === null
      ? (named ?? unlessFoundByContent(contentType) ?? unlessFoundByContent(extension) ?? TEXT)
      : // An override chooses how text is read; it cannot make text of a binary format.
        isText(override)
        ? (named ?? override)
        : override;

  const type = isDocumentType(fileType) ? fileType : 'type' in format ? format.type : 'text';
  const isUnsure = signature === OFFICE && { isUnsure: true as const };
  const conversations = signature === OFFICE ? conversationFileIn(namesIn(upload.bytes)) : null;
  if (conversations !== null) return { unsupported: archivedConversations(conversations), type, ...isUnsure };
  if ('name' in format) return { unsupported: unsupportedKind(format.name), type, ...isUnsure };
  // By its name it is of a kind whose content this is not.
  if (!isText(format)) return { unsupported: unsupportedKind(OFFICE.name), type, ...isUnsure };
  if (!mayBeText(upload.bytes)) return { unsupported: UNKNOWN_BINARY, type };
  return { kind: format.kind, type: isDocumentType(fileType) ? fileType : (extractorOf(format.kind).type ?? type) };
}
