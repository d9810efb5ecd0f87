import { closeSync, existsSync, fdatasyncSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { PAGE_SIZE } from './schema.ts';

/** Of the write-ahead log: what stands before all frames, and before the page of each. */
const LOG_HEADER = 32;
const FRAME_HEADER = 24;

/** The first page starts with the header of the file. */
const FILE_HEADER = 100;
/** Kinds of b-tree pages by their first byte, and how long their headers are. */
const PAGE_HEADERS: ReadonlyMap<number, number> = new Map([
  [2, 12],
  [5, 12],
  [10, 8],
  [13, 8],
]);

const ZEROS = new Uint8Array(PAGE_SIZE);

/**
 * Numbers of the pages in the write-ahead log, each once. Frames of an earlier round of the log may be among them.
 * @param path of the database
 */
export function pagesInLog(path: string): Set<number> {
  const pages = new Set<number>();
  if (!existsSync(`${path}-wal`)) return pages;
  const file = openSync(`${path}-wal`, 'r');
  try {
    const { size } = fstatSync(file);
    const number = Buffer.alloc(4);
    for (let at = LOG_HEADER; at + FRAME_HEADER + PAGE_SIZE <= size; at += FRAME_HEADER + PAGE_SIZE) {
      readSync(file, number, 0, 4, at);
      pages.add(number.readUInt32BE(0));
    }
  } finally {
    closeSync(file);
  }
  return pages;
}

/**
 * Overwrites the part of database pages that no row uses. `secure_delete` clears the bytes of a row that is deleted, but
 * when SQLite spreads the rows of a full page over its neighbours, copies of them stay in the free middle of the page
 * (seen with 3.53: of 1,000 documents written and deleted in random order, some hundred left words behind). Between the
 * cell pointers and the first cell nothing is ever read, so that zeros may be written there at any time, whoever reads.
 */
export class PageScrubber {
  /**
   * Stays open as long as the database does: to close any descriptor of a file gives up all locks that the process holds
   * on it.
   */
  readonly #file: number;
  readonly #page = Buffer.alloc(PAGE_SIZE);

  constructor(path: string) {
    this.#file = openSync(path, 'r+');
  }

  /** To be called by the thread that writes the database, after a checkpoint has brought these pages into the file. */
  scrub(pages: Iterable<number>): void {
    let written = false;
    for (const page of pages) written = this.#scrubPage(page) || written;
    if (written) fdatasyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }

  #scrubPage(number: number): boolean {
    const offset = (number - 1) * PAGE_SIZE;
    if (readSync(this.#file, this.#page, 0, PAGE_SIZE, offset) < PAGE_SIZE) return false;
    const start = number === 1 ? FILE_HEADER : 0;
    // Other pages start with the number of a page, whose first byte would be one of these in files above 270 GB only.
    const header = PAGE_HEADERS.get(this.#page.readUInt8(start));
    if (header === undefined) return false;
    const from = start + header + 2 * this.#page.readUInt16BE(start + 3);
    const to = this.#page.readUInt16BE(start + 5);
    if (from >= to || to > PAGE_SIZE) return false;
    const free = this.#page.subarray(from, to);
    if (free.equals(ZEROS.subarray(0, free.length))) return false;
    writeSync(this.#file, ZEROS, 0, free.length, offset + from);
    return true;
  }
}
