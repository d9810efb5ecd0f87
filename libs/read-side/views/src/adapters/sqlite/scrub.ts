import { closeSync, existsSync, fdatasyncSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { PAGE_SIZE } from './schema.ts';

/** Bytes before all frames of the write-ahead log, and before the page of each frame. */
const LOG_HEADER = 32;
const FRAME_HEADER = 24;

/** Bytes of the file header on the first page. */
const FILE_HEADER = 100;
/** Header sizes of b-tree pages by their first byte. */
const PAGE_HEADERS: ReadonlyMap<number, number> = new Map([
  [2, 12],
  [5, 12],
  [10, 8],
  [13, 8],
]);

const ZEROS = new Uint8Array(PAGE_SIZE);

/**
 * Returns the numbers of the pages in the write-ahead log. Frames of an earlier round may be among them.
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
 * Overwrites the unused part of database pages. `secure_delete` clears the bytes of a deleted row, but when SQLite
 * spreads the rows of a full page over its neighbours, copies stay in the unused middle of the page (seen with 3.53: of
 * 1,000 documents written and deleted in random order, some hundred left words behind). Nothing is read between the
 * cell pointers and the first cell, so zeros may be written there at any time.
 */
export class PageScrubber {
  /**
   * Stays open as long as the database: closing any descriptor of a file releases all locks that the process holds on
   * it.
   */
  readonly #file: number;
  readonly #page = Buffer.alloc(PAGE_SIZE);

  constructor(path: string) {
    this.#file = openSync(path, 'r+');
  }

  /** Scrubs pages. For the writing thread, after a checkpoint has moved these pages into the file. */
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
    // Other pages start with a page number, whose first byte is one of these only in files above 270 GB.
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
