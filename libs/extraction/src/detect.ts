import { mayBeText } from './decode.ts';
import {
  byExtension,
  byFileType,
  byMediaType,
  type Format,
  isDocumentType,
  isKind,
  OFFICE,
  onlyBinary,
  SHEET,
  TEXT,
} from './formats.ts';
import type { DocumentType } from './port.ts';
import { bySignature } from './signature.ts';

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

export type Detected =
  | { readonly kind: string; readonly type: DocumentType }
  /** For `processingError.message`: names the format and quotes nothing of the file. */
  | { readonly unsupported: string; readonly type: DocumentType };

/**
 * Clients send `text/plain` for every textual file, and the media type of Excel for CSV; there the extension counts.
 */
function refine(named: Format | null, extension: Format | null): Format | null {
  const extensionIsText = extension !== null && 'kind' in extension;
  if (isKind(named, 'text') && extensionIsText) return extension;
  if (named === SHEET && isKind(extension, 'csv')) return extension;
  return named;
}

/**
 * Decides how an uploaded file is read: by the caller's overrides, then the first bytes, then the content type of the
 * part, then the extension (contract §4.1). Bytes of no known format that may be text are read as text.
 */
export async function detectKind(upload: Upload): Promise<Detected> {
  const fileType = upload.fileType?.trim().toLowerCase();
  const extension = byExtension(upload.fileName);
  const override = refine(byMediaType(upload.mimeType), extension) ?? byFileType(fileType);
  const signature = await bySignature(upload.bytes);
  const contentType = refine(byMediaType(upload.contentType), extension);
  // Many formats are zip or CFB containers; content type and extension tell them apart.
  const named = signature === OFFICE ? (onlyBinary(contentType) ?? onlyBinary(extension) ?? OFFICE) : signature;

  const format =
    override === null
      ? (named ?? contentType ?? extension ?? TEXT)
      : // An override chooses how text is read; it cannot make text of a binary format.
        'kind' in override
        ? (named ?? override)
        : override;

  const type = isDocumentType(fileType) ? fileType : 'type' in format ? format.type : 'text';
  if ('name' in format) return { unsupported: `Files of this kind (${format.name}) are not supported`, type };
  if (!mayBeText(upload.bytes)) return { unsupported: 'The file is binary and of no known kind', type };
  return { kind: format.kind, type };
}
