import type { FeedReader } from '../feed-reader.ts';
import type { Installation } from '../installation/installation.ts';
import type { Expectations } from '../model/expected.ts';
import type { Report } from '../report.ts';
import { lastingDifferences } from './differences.ts';
import { compareDocuments } from './documents.ts';
import { compareFeed } from './feeds.ts';
import { beforeMarker, markersInFiles } from './files.ts';
import { compareList, compareTags } from './lists.ts';
import { compareProcessing } from './processing.ts';
import { Listing, type Reading } from './reading.ts';

/** For documents to be processed and shown. Milliseconds. */
const SHOWN_WITHIN_MS = 90_000;
/** For garbage collection, which looks for what killed processes have left within a minute of a start. Milliseconds. */
const ERASED_WITHIN_MS = 120_000;

/** A reading with the feed of the same key. */
export interface FollowedReading extends Reading {
  readonly reader: FeedReader;
}

/** Waits until nothing is processed, and compares all reads with what is expected. Returns whether nothing is wrong. */
export async function checkReads(readings: readonly FollowedReading[], report: Report): Promise<boolean> {
  const check = async (compare: (reading: FollowedReading) => Promise<readonly string[]>) => {
    const wrong = await lastingDifferences(() => each(readings, compare), SHOWN_WITHIN_MS);
    for (const one of wrong) report.violation(one);
    return wrong.length === 0;
  };
  const isRight = [
    await check(compareProcessing),
    await check(compareReads),
    await check((reading) => compareFeed(reading, reading.reader)),
  ];
  report.count('comparisons of all reads');
  return isRight.every((one) => one);
}

/** The views are what the log says, and no file holds a text of a deleted document. */
export async function checkStored(
  installation: Installation,
  { documents }: Expectations,
  report: Report,
): Promise<void> {
  const output = await installation.command('replay', '--verify');
  report.count('views compared with a rebuild');
  if (output !== null) report.violation(`mneme replay --verify: ${output}`);
  const absent = documents.filter(({ mustBeAbsent }) => mustBeAbsent);
  const markers = new Set(absent.flatMap((document) => document.markers));
  report.count('texts of deleted documents looked for in files', markers.size);
  const compareFiles = () => each(installation.folders, (folder) => deletedIn(folder, markers));
  for (const wrong of await lastingDifferences(compareFiles, ERASED_WITHIN_MS)) report.violation(wrong);
}

async function deletedIn(folder: string, deleted: ReadonlySet<string>): Promise<readonly string[]> {
  const found = [...(await markersInFiles(folder))].filter(([marker]) => deleted.has(marker));
  const described = async ([marker, file]: readonly [string, string]) => {
    const before = await beforeMarker(file, marker).catch(() => '');
    return `left behind: the deleted text ${marker} is in ${file} behind ${before}`;
  };
  return Promise.all(found.map(described));
}

async function compareReads(reading: Reading): Promise<readonly string[]> {
  const listing = await Listing.read(reading);
  return [
    ...compareList(reading, listing),
    ...(await compareTags(reading, listing)),
    ...(await compareDocuments(reading, listing)),
  ];
}

async function each<T>(
  items: readonly T[],
  compare: (item: T) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const item of items) wrong.push(...(await compare(item)));
  return wrong;
}
