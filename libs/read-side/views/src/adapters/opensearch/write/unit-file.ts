import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { translateFileError } from '#platform/kernel';
import type { DocumentRow, UnitKind, UnitSet } from '../../../documents.ts';
import type { UnitExtent } from '../documents.ts';
import type { UnitSource } from '../units.ts';
import { extentOf, sourcesOf } from './changes.ts';

/** A row of a unit without what follows from its document. */
export interface FileRow {
  readonly kind: UnitKind;
  readonly ordinal: number;
  /** A JSON object without its closing brace. */
  readonly json: string;
}

const LINE_END = 0x0a;
/** Characters. */
const WRITTEN_AT_ONCE = 1024 * 1024;

/**
 * Writes the rows of all units of a document into a file, for a writer of the views in another process. The first row of each
 * kind, with which the document counts in a scan, is at the end.
 * @param set without vectors
 * @throws as `unitSources`; ResourceError
 */
export async function writeUnitFile(path: string, row: DocumentRow, set: UnitSet): Promise<UnitExtent> {
  try {
    await using file = await open(path, 'wx', 0o600);
    const firsts: string[] = [];
    let lines: string[] = [];
    let length = 0;
    for (const source of sourcesOf(row, set)) {
      const line = lineOf(source);
      if (source.ordinal === 0) {
        firsts.push(line);
        continue;
      }
      lines.push(line);
      length += line.length;
      if (length < WRITTEN_AT_ONCE) continue;
      await file.writeFile(lines.join(''));
      [lines, length] = [[], 0];
    }
    await file.writeFile(lines.join(''));
    for (const line of firsts) await file.writeFile(line);
  } catch (error) {
    throw translateFileError(error);
  }
  return extentOf(set);
}

const lineOf = ({ kind, ordinal, json }: UnitSource): string => `${kind} ${ordinal} ${json}\n`;

/** Reads a file of `writeUnitFile`, one row after the other. @throws ResourceError */
export async function* readUnitFile(path: string): AsyncGenerator<FileRow> {
  try {
    let rest: Buffer[] = [];
    for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = piece.indexOf(LINE_END); end !== -1; end = piece.indexOf(LINE_END, from)) {
        yield rowOf(Buffer.concat([...rest, piece.subarray(from, end)]).toString());
        rest = [];
        from = end + 1;
      }
      rest.push(piece.subarray(from));
    }
  } catch (error) {
    throw translateFileError(error);
  }
}

function rowOf(line: string): FileRow {
  const kindEnd = line.indexOf(' ');
  const ordinalEnd = line.indexOf(' ', kindEnd + 1);
  return {
    kind: line.slice(0, kindEnd) as UnitKind,
    ordinal: Number(line.slice(kindEnd + 1, ordinalEnd)),
    json: line.slice(ordinalEnd + 1),
  };
}
