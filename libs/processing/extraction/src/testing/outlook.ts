import { CFB } from '@e965/xlsx';

/**
 * Makes e-mails of Outlook for specs.
 * @param streams by their paths without `__substg1.0_`; words are in UTF-16
 */
export function outlookOf(streams: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const file = CFB.utils.cfb_new();
  CFB.utils.cfb_add(file, '/__properties_version1.0', Buffer.alloc(32));
  for (const [path, content] of Object.entries(streams)) {
    const name = path.replace(/[^/]+/g, (part) => (part.startsWith('__') ? part : `__substg1.0_${part}`));
    CFB.utils.cfb_add(file, `/${name}`, typeof content === 'string' ? Buffer.from(content, 'utf16le') : content);
  }
  return Buffer.from(CFB.write(file, { type: 'buffer' }));
}

/** Compressed RTF that is not compressed. */
export function storedRtf(rtf: string): Buffer {
  const bytes = Buffer.from(rtf, 'latin1');
  const header = Buffer.alloc(16);
  header.writeUInt32LE(bytes.length + 12, 0);
  header.writeUInt32LE(bytes.length, 4);
  header.write('MELA', 8, 'latin1');
  return Buffer.concat([header, bytes]);
}

/** Place of the entry of a storage or stream in the directory of a compound file. */
export const entryAt = (file: Buffer, name: string): number => file.indexOf(Buffer.from(`${name}\0`, 'utf16le'));
