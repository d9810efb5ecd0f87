const utf8 = new TextDecoder('utf-8', { fatal: true });

/** UTF-16 without a byte order mark cannot be distinguished from binary data. */
function utf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return null;
}

/** Returns whether the bytes can be text: UTF-16 with a byte order mark, or free of NUL bytes. */
export function mayBeText(bytes: Uint8Array): boolean {
  return utf16(bytes) !== null || !bytes.includes(0);
}

/** Decodes UTF-8, UTF-16 with a byte order mark, or else windows-1252, which maps every byte. Never throws. */
export function decodeText(bytes: Uint8Array): string {
  const marked = utf16(bytes);
  if (marked !== null) return new TextDecoder(marked).decode(bytes);
  try {
    return utf8.decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
