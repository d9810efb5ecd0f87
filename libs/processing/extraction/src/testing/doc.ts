/** Makes files of Word 97 to 2003 for specs. */

const SECTOR = 512;
const END = -2;
const FREE = -1;
/** Where the text begins in its stream. */
const TEXT_AT = 1_024;

/** @param flags of the file's header; 0x100: it is encrypted */
export function docOf(text: string, flags = 0): Buffer {
  const words = Buffer.from(text, 'utf16le');
  const main = Buffer.alloc(Math.max(4_096, TEXT_AT + words.length));
  main.writeUInt16LE(0xa5ec, 0);
  main.writeUInt16LE(0x0200 | flags, 0x0a);
  main.writeUInt32LE(TEXT_AT, 0x18);
  main.writeUInt32LE(text.length, 0x4c);
  main.writeUInt32LE(0, 0x01a2);
  main.writeUInt32LE(21, 0x01a6);
  words.copy(main, TEXT_AT);
  // One piece: from the first character to the last, at this place of the stream.
  const table = Buffer.alloc(4_096);
  table.writeUInt8(2, 0);
  table.writeUInt32LE(16, 1);
  table.writeUInt32LE(0, 5);
  table.writeUInt32LE(text.length, 9);
  table.writeUInt32LE(TEXT_AT, 15);
  return cfbOf({ WordDocument: main, '1Table': table });
}

/** A compound file of streams of at least 4,096 bytes. */
function cfbOf(streams: Readonly<Record<string, Buffer>>): Buffer {
  const sectors: Buffer[] = [];
  const next: number[] = [];
  const add = (bytes: Buffer): number => {
    const first = sectors.length;
    const count = Math.ceil(bytes.length / SECTOR);
    for (let i = 0; i < count; i++) {
      const sector = Buffer.alloc(SECTOR);
      bytes.copy(sector, 0, i * SECTOR, (i + 1) * SECTOR);
      sectors.push(sector);
      next.push(i === count - 1 ? END : first + i + 1);
    }
    return first;
  };
  const entries = Object.entries(streams).map(([name, bytes], i, { length }) => ({
    ...{ name, type: 2, right: i === length - 1 ? -1 : i + 2, child: -1 },
    ...{ first: add(bytes), size: bytes.length },
  }));
  const root = { name: 'Root Entry', type: 5, right: -1, child: 1, first: END, size: 0 };
  const directory = Buffer.concat([root, ...entries].map(entryOf));
  const directoryAt = add(Buffer.concat([directory, Buffer.alloc(-directory.length & (SECTOR - 1))]));
  const table = Buffer.alloc(SECTOR, 0xff);
  next.push(-3);
  next.forEach((sector, i) => {
    table.writeInt32LE(sector, i * 4);
  });
  const header = Buffer.alloc(SECTOR, 0xff);
  header.fill(0, 0, 76);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
  header.writeUInt16LE(0x3e, 24);
  header.writeUInt16LE(3, 26);
  header.writeUInt16LE(0xfffe, 28);
  header.writeInt16LE(9, 30);
  header.writeInt16LE(6, 32);
  header.writeInt32LE(1, 44);
  header.writeInt32LE(directoryAt, 48);
  header.writeInt32LE(4_096, 56);
  header.writeInt32LE(END, 60);
  header.writeInt32LE(END, 68);
  header.writeInt32LE(sectors.length, 76);
  return Buffer.concat([header, ...sectors, table]);
}

function entryOf(entry: {
  name: string;
  type: number;
  right: number;
  child: number;
  first: number;
  size: number;
}): Buffer {
  const bytes = Buffer.alloc(128);
  bytes.write(entry.name, 0, 'utf16le');
  bytes.writeInt16LE((entry.name.length + 1) * 2, 64);
  bytes.writeInt8(entry.type, 66);
  bytes.writeInt8(1, 67);
  bytes.writeInt32LE(FREE, 68);
  bytes.writeInt32LE(entry.right, 72);
  bytes.writeInt32LE(entry.child, 76);
  bytes.writeInt32LE(entry.first, 116);
  bytes.writeInt32LE(entry.size, 120);
  return bytes;
}
